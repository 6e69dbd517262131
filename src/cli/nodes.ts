/** The command `svc nodes`. */
import type { Command } from "commander";
import { PeopleCommand } from "./command.ts";
import { serverGuide } from "./connection/server.ts";
import { drainCommand } from "./nodes/drain.ts";
import { listCommand } from "./nodes/list.ts";

const GUIDE = `
Examples:
  $ svc nodes list
      show the nodes that serve you and how busy they are
  $ svc nodes drain encoder-7
      let a node finish its tasks before it is stopped

${serverGuide()}`;

export function nodesCommand(): Command {
  return new PeopleCommand("svc nodes")
    .summary("list and drain the nodes of a controller")
    .description("Nodes are the machines that score a controller's jobs; each runs svc node.")
    .withGuide(GUIDE)
    .addCommand(listCommand())
    .addCommand(drainCommand());
}
