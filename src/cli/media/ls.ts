/** The command `svc media ls [UNDER]`. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import { type MediaEntry, MediaEntry_Kind, MediaEntrySchema } from "../../gen/proto/svc/v1/media_pb.ts";
import { TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
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
  $ svc media ls
  $ svc media ls /srv/media/acme/encodes/
  $ svc media ls s3://acme-masters/2026/ --json | jq -r 'select(.kind == "FILE") | .name'

Names are printed as jobs name them. Those of folders end with a slash; the files of a web server (https://HOST/) can be
named, but not listed.

${serverGuide({ 2: "the folder does not exist, or jobs may not name what is in it" })}`;

export function lsCommand(): Command {
  const command = new PeopleCommand("svc media ls")
    .summary("list a folder, or the media roots and storages")
    .description(
      "Lists a folder that the controller sees: size, time of the last change, name. Without an argument, lists the media roots and storages of your tenant. Needs the role svc:writer.",
    )
    .argument("[under]", "a path, or s3://BUCKET/PREFIX")
    .addOption(jsonOption("one entry per line"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((under: string | undefined, flags: ServerFlags) =>
    withServer(flags, (connection, signal) => {
      const pages = pagesOf(async (at) => {
        const request = { under: under ?? "", ...at };
        const page = await connection.call(TenantService.method.listMedia, request, { signal });
        return { things: page.entries, nextPageToken: page.nextPageToken };
      }, ALL);
      return printList(pages, {
        json: flags.json,
        schema: MediaEntrySchema,
        table: (entries, terminal, options) => tableLines(entries, COLUMNS, terminal, options),
        none: under === undefined ? "Your tenant has no media roots and no storages." : "Nothing.",
      });
    }),
  );
}

const COLUMNS: readonly TableColumn<MediaEntry>[] = [
  { heading: "SIZE", text: entrySize, atLeast: 7, align: "right" },
  { heading: "CHANGED", text: changeTime, atLeast: 20, dispensable: 1 },
  { heading: "NAME", text: ({ name }) => name, atLeast: 0 },
];

function entrySize({ kind, size }: MediaEntry): string {
  return kind === MediaEntry_Kind.FILE && size !== undefined ? sizeText(size) : "-";
}

function changeTime({ modifyTime }: MediaEntry): string {
  return modifyTime === undefined ? "-" : instantText(timestampMs(modifyTime));
}
