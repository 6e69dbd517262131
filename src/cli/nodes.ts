/** The command `svc nodes`. */
import type { Command } from "commander";
import { PeopleCommand } from "./command.ts";
import { drainCommand } from "./nodes/drain.ts";
import { listCommand } from "./nodes/list.ts";
import { SERVER_HELP } from "./server.ts";

export function nodesCommand(): Command {
  return new PeopleCommand("svc nodes")
    .summary("list and drain the nodes of a controller")
    .description("Nodes are the machines that score a controller's jobs: svc node on each.")
    .addHelpText("after", SERVER_HELP)
    .addCommand(listCommand())
    .addCommand(drainCommand());
}
