/** The command `svc comparisons delete ID`. */
import type { Command } from "commander";
import { ComparisonService } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { PeopleCommand } from "../command.ts";
import { addServerOptions, type ServerFlags, serverGuide, withServer } from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { printable } from "../terminal/escape.ts";

const GUIDE = `
Examples:
  $ svc comparisons delete 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10

${serverGuide()}`;

export function deleteCommand(): Command {
  const command = new PeopleCommand("svc comparisons delete")
    .summary("delete a comparison, but not its jobs")
    .description(
      "Deletes a comparison. Its jobs and their results are kept. To stop jobs that have not ended, cancel the comparison first.",
    )
    .argument("<id>", "full id of the comparison")
    .withGuide(GUIDE);
  return addServerOptions(command).action((id: string, flags: ServerFlags) =>
    withServer(flags, async (connection, signal) => {
      const { comparison } = await connection.call(
        ComparisonService.method.deleteComparison,
        { id },
        { signal },
      );
      const named = comparison?.name ? ` ${printable(comparison.name)}` : "";
      await writeAll(process.stdout, [`Comparison ${printable(comparison?.id ?? id)}${named} deleted.\n`]);
      return EXIT.scored;
    }),
  );
}
