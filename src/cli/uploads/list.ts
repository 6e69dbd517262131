/** The command `svc uploads list`. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import { type Upload, UploadSchema, UploadService } from "../../gen/proto/svc/v1/upload_pb.ts";
import { sizeText } from "../../jobs/quantities.ts";
import { PeopleCommand } from "../command.ts";
import { ALL, pagesOf, printList } from "../connection/pages.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { instantText } from "../flags/instants.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";

const GUIDE = `
Examples:
  $ svc uploads list
  $ svc uploads list --json | jq -r 'select(.path != "") | .path'

${serverGuide()}`;

export function listCommand(): Command {
  const command = new PeopleCommand("svc uploads list")
    .summary("list the uploads of your tenant, oldest first")
    .description(
      "Lists uploads, oldest first: id, size, how much has arrived, when it is deleted, path or name.",
    )
    .addOption(jsonOption("one upload per line"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((flags: ServerFlags) =>
    withServer(flags, (connection, signal) => {
      const pages = pagesOf(async () => {
        const { uploads } = await connection.call(UploadService.method.listUploads, {}, { signal });
        return { things: uploads, nextPageToken: "" };
      }, ALL);
      return printList(pages, {
        json: flags.json,
        schema: UploadSchema,
        table: (uploads, terminal, options) => tableLines(uploads, COLUMNS, terminal, options),
        none: "No uploads.",
      });
    }),
  );
}

const COLUMNS: readonly TableColumn<Upload>[] = [
  { heading: "ID", text: ({ id }) => id, atLeast: 36 },
  { heading: "SIZE", text: ({ size }) => sizeText(size), atLeast: 7, align: "right" },
  { heading: "DONE", text: doneText, atLeast: 5, align: "right" },
  {
    heading: "DELETED AFTER",
    text: ({ expireTime }) => (expireTime ? instantText(timestampMs(expireTime)) : "-"),
    atLeast: 20,
    dispensable: 1,
  },
  { heading: "PATH", text: ({ path, name }) => path || name, atLeast: 0 },
];

function doneText({ offset, size }: Upload): string {
  return `${Math.floor((offset / size) * 100)} %`;
}
