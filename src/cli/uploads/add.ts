/** The command `svc uploads add FILE…`. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { UploadSchema } from "../../gen/proto/svc/v1/upload_pb.ts";
import { PeopleCommand } from "../command.ts";
import { messageJson } from "../connection/message-json.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";
import { sendAll } from "./send-all.ts";

interface AddFlags extends ServerFlags {
  readonly quiet?: boolean;
}

const GUIDE = `
Examples:
  $ svc uploads add source.mov encode-*.mp4
      prints the path of each file, by which jobs name it
  $ svc jobs submit --upload source.mov encode.mp4
      uploads the files and submits a job over them

Repeating the command continues where it was interrupted. A file that was uploaded already is not sent again, as long
as it is not changed here.

${serverGuide({
  2: "a file cannot be read, or the controller refused it",
  130: "stopped with Ctrl-C; repeating the command continues the upload",
})}`;

export function addCommand(): Command {
  const command = new PeopleCommand("svc uploads add")
    .summary("upload files")
    .description(
      "Uploads files of this machine to the controller, or to your tenant's bucket, and prints the paths or s3:// URLs by which jobs name them.",
    )
    .argument("<files...>", "files of this machine")
    .addOption(optional("-q, --quiet", "show no progress", "off"))
    .addOption(jsonOption("one upload per line"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((files: string[], flags: AddFlags) =>
    withServer(flags, async (connection, signal) => {
      const paths = files.map((file) => resolve(file));
      const sent = await sendAll(connection, paths, { quiet: flags.quiet === true, signal });
      const uploads = paths.flatMap((path) => sent.get(path) ?? []);
      await writeAll(
        process.stdout,
        uploads.map((upload) => (flags.json ? messageJson(UploadSchema, upload) : `${upload.path}\n`)),
      );
      return EXIT.scored;
    }),
  );
}
