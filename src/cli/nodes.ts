/** The command `svc nodes`. */
import type { Command } from "commander";
import { PeopleCommand } from "./command.ts";
import { drainCommand } from "./nodes/drain.ts";
import { listCommand } from "./nodes/list.ts";
import { serverGuide } from "./server.ts";

const GUIDE = `
Examples:
  $ svc nodes list
      the nodes that serve you, and how busy they are
  $ svc nodes drain encoder-7
      lets one finish what it has, before it is stopped

${serverGuide()}`;

export function nodesCommand(): Command {
  return new PeopleCommand("svc nodes")
    .summary("list and drain the nodes of a controller")
    .description("Nodes are the machines that score a controller's jobs: svc node on each.")
    .withGuide(GUIDE)
    .addCommand(listCommand())
    .addCommand(drainCommand());
}
