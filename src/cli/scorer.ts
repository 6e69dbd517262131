/** The command `svc scorer`. */
import type { Command } from "commander";
import { exitCodes } from "../platform/config/help.ts";
import { PeopleCommand } from "./command.ts";
import { installCommand } from "./scorer/install-command.ts";
import { listCommand } from "./scorer/list-command.ts";

const GUIDE = `
Examples:
  $ svc scorer install
      install the scorer of this version of svc
  $ svc scorer list
      show which programs can score, and which one does

${exitCodes({
  0: "done",
  2: "the command line or the given file is wrong",
  3: "the scorer could not be installed or listed",
  130: "stopped with Ctrl-C; nothing is left behind",
})}`;

export function scorerCommand(): Command {
  return new PeopleCommand("svc scorer")
    .summary("install the scorer, and list the programs that can score")
    .description("The scorer is the program that computes VMAF: an ffmpeg with libvmaf, or Netflix's vmaf.")
    .withGuide(GUIDE)
    .addCommand(installCommand())
    .addCommand(listCommand());
}
