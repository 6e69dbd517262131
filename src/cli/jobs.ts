/** The command `svc jobs`. */
import type { Command } from "commander";
import { PeopleCommand } from "./command.ts";
import { serverGuide } from "./connection/server.ts";
import { cancelCommand } from "./jobs/cancel.ts";
import { clipCommand } from "./jobs/clip.ts";
import { deleteCommand } from "./jobs/delete.ts";
import { framesCommand } from "./jobs/frames.ts";
import { getCommand } from "./jobs/get.ts";
import { labelCommand } from "./jobs/label.ts";
import { listCommand } from "./jobs/list.ts";
import { watchCommand } from "./jobs/watch.ts";
import { rescoreCommand } from "./rescore/rescore.ts";
import { finishCommand } from "./submit/finish.ts";
import { submitCommand } from "./submit/submit.ts";

const GUIDE = `
Examples:
  $ svc up
      start a controller and a node on this machine
  $ svc jobs submit source.mov encode.mp4 --wait
      score a pair on the nodes and show the report
  $ svc jobs watch
      follow running and queued jobs live
  $ svc jobs submit --help
      show the options of a command, with examples

${serverGuide({ 1: "scored, but below a gate of the job" })}`;

export function jobsCommand(): Command {
  const command = new PeopleCommand("svc jobs")
    .summary("submit, follow, finish, rescore, cancel and delete jobs on a controller")
    .description(
      "Jobs are pairs of videos that the nodes of a controller score in the background. The controller keeps the results.",
    )
    .withGuide(GUIDE);
  for (const make of [
    ...[submitCommand, listCommand, getCommand, watchCommand, framesCommand, clipCommand],
    ...[finishCommand, rescoreCommand, labelCommand, cancelCommand, deleteCommand],
  ]) {
    command.addCommand(make());
  }
  return command;
}
