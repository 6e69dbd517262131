/** The command `svc comparisons`. */
import type { Command } from "commander";
import { PeopleCommand } from "./command.ts";
import { addCommand } from "./comparisons/add.ts";
import { cancelCommand } from "./comparisons/cancel.ts";
import { deleteCommand } from "./comparisons/delete.ts";
import { listCommand } from "./comparisons/list.ts";
import { retryCommand } from "./comparisons/retry.ts";
import { showCommand } from "./comparisons/show.ts";
import { serverGuide } from "./connection/server.ts";

const GUIDE = `
Examples:
  $ svc comparisons list
      show the comparisons of your tenant and how far they are
  $ svc comparisons show 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10
      show the encodes of one, and how its ladders compare
  $ svc comparisons add 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 \\
        source.mov av1-*.mp4
      add encodes to it
  $ svc comparisons retry 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10
      run the cells without a score again

${serverGuide()}`;

export function comparisonsCommand(): Command {
  return new PeopleCommand("svc comparisons")
    .summary("list, show, extend, retry, cancel and delete comparisons on a controller")
    .description(
      "A comparison is a set of encodes that svc compare --submit submitted with the same settings. Each of its cells is a job.",
    )
    .withGuide(GUIDE)
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(addCommand())
    .addCommand(retryCommand())
    .addCommand(cancelCommand())
    .addCommand(deleteCommand());
}
