/** The command `svc uploads`. */
import type { Command } from "commander";
import { PeopleCommand } from "./command.ts";
import { serverGuide } from "./connection/server.ts";
import { addCommand } from "./uploads/add.ts";
import { deleteCommand } from "./uploads/delete.ts";
import { listCommand } from "./uploads/list.ts";

const GUIDE = `
Examples:
  $ svc uploads add source.mov encode.mp4
      upload two files
  $ svc uploads list
      list what your tenant has uploaded

${serverGuide()}`;

export function uploadsCommand(): Command {
  return new PeopleCommand("svc uploads")
    .summary("upload videos to a controller")
    .description("Uploads videos of this machine for jobs, lists and deletes uploads.")
    .withGuide(GUIDE)
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(deleteCommand());
}
