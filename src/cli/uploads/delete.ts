/** The command `svc uploads delete ID…`. */
import type { Command } from "commander";
import { UploadService } from "../../gen/proto/svc/v1/upload_pb.ts";
import { PeopleCommand } from "../command.ts";
import { addServerOptions, type ServerFlags, serverGuide, withServer } from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { printable } from "../terminal/escape.ts";

const GUIDE = `
Examples:
  $ svc uploads delete 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10
  $ svc uploads list --json | jq -r .id | xargs svc uploads delete

${serverGuide({ 2: "a job that has not ended names an upload; those before it were deleted" })}`;

export function deleteCommand(): Command {
  const command = new PeopleCommand("svc uploads delete")
    .summary("delete uploads")
    .description("Deletes uploads and their bytes. Results of jobs over them stay.")
    .argument("<ids...>", "full ids of the uploads")
    .withGuide(GUIDE);
  return addServerOptions(command).action((ids: string[], flags: ServerFlags) =>
    withServer(flags, async (connection, signal) => {
      for (const id of ids) {
        await connection.call(UploadService.method.deleteUpload, { id }, { signal });
        await writeAll(process.stdout, [`Upload ${printable(id)} deleted.\n`]);
      }
      return EXIT.scored;
    }),
  );
}
