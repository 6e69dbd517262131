/** The command `svc media`. */
import type { Command } from "commander";
import { PeopleCommand } from "./command.ts";
import { serverGuide } from "./connection/server.ts";
import { completeCommand } from "./media/complete.ts";
import { lsCommand } from "./media/ls.ts";

const GUIDE = `
Examples:
  $ svc media ls
      list the media roots and storages of your tenant
  $ svc media ls s3://acme-masters/2026/
      list a folder

${serverGuide()}`;

export function mediaCommand(): Command {
  return new PeopleCommand("svc media")
    .summary("list the videos that jobs may name")
    .description("Shows what jobs of your tenant may name: files in media roots, and objects in storages.")
    .withGuide(GUIDE)
    .addCommand(lsCommand())
    .addCommand(completeCommand(), { hidden: true });
}
