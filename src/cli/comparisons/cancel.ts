/** The command `svc comparisons cancel ID`. */
import type { Command } from "commander";
import { ComparisonService } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { PeopleCommand } from "../command.ts";
import { addServerOptions, type ServerFlags, serverGuide, withServer } from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";

const GUIDE = `
Examples:
  $ svc comparisons cancel 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10

${serverGuide()}`;

export function cancelCommand(): Command {
  const command = new PeopleCommand("svc comparisons cancel")
    .summary("cancel the jobs of a comparison that have not ended")
    .description(
      "Cancels the jobs of all cells that have not ended, and prints their number. Existing scores are kept.",
    )
    .argument("<id>", "full id of the comparison")
    .withGuide(GUIDE);
  return addServerOptions(command).action((id: string, flags: ServerFlags) =>
    withServer(flags, async (connection, signal) => {
      const { cancelled } = await connection.call(
        ComparisonService.method.cancelComparison,
        { id },
        { signal },
      );
      await writeAll(process.stdout, [`${cancelled} ${cancelled === 1 ? "job" : "jobs"} cancelled.\n`]);
      return EXIT.scored;
    }),
  );
}
