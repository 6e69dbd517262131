/** The command `svc jobs delete [ID…]`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection.ts";
import {
  type DeleteJobsResponse,
  DeleteJobsResponseSchema,
  JobSchema,
  JobService,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { PeopleCommand } from "../command.ts";
import { TIMES_GUIDE } from "../instants.ts";
import { messageJson } from "../message-json.ts";
import { optional } from "../optional.ts";
import { addServerOptions, answered, serverGuide, withServer } from "../server.ts";
import { addEndOptions, filterOf } from "./filter.ts";
import { addManyOptions, allChosen, areNamed, eachNamed, type ManyFlags, type Words } from "./many.ts";
import { titleLine } from "./state.ts";

interface DeleteFlags extends ManyFlags {
  readonly cancel?: boolean;
}

const WORDS: Words = { verb: "Delete", doing: "Deleting", done: "deleted" };

const GUIDE = `
Examples:
  $ svc jobs delete 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10

  What ended more than 90 days ago, once you have agreed to how many that are:
    $ svc jobs delete --ended-until 90d

  Failed trials, in a script:
    $ svc jobs delete --state failed --label kind=trial --yes

${TIMES_GUIDE}

${serverGuide({
  0: "the jobs are deleted",
  2: "there is no such job, it has not ended, or you said no; others that are named are deleted",
  130: "stopped with Ctrl-C; what was deleted by then is gone",
})}`;

export function deleteCommand(): Command {
  const command = new PeopleCommand("svc jobs delete")
    .summary("delete jobs that have ended, for good")
    .description(
      "Deletes jobs with their results, values and pictures, for good: those of the ids, or all that the options choose, in one request. Needs svc:admin.",
    );
  addEndOptions(addManyOptions(command, WORDS, "all jobs that have ended"))
    .addOption(optional("--cancel", "take jobs that have not ended too, and cancel them first", "off"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((ids: readonly string[], flags: DeleteFlags) =>
    withServer(flags, (connection, signal) => remove(connection, ids, flags, signal)),
  );
}

async function remove(
  connection: Connection,
  ids: readonly string[],
  flags: DeleteFlags,
  signal: AbortSignal,
): Promise<number> {
  const { cancel = false } = flags;
  if (areNamed(ids, flags)) return eachNamed(ids, flags, (id) => removed(connection, id, flags, signal));
  const chosen = flags.all ? { all: true } : { filter: filterOf(flags) };
  return allChosen<DeleteJobsResponse>(
    flags,
    {
      words: WORDS,
      progressOf: ({ matched, deleted: changed }) => ({ matched, changed }),
      json: (answer) => messageJson(DeleteJobsResponseSchema, answer),
      call: (dryRun) =>
        connection.stream(JobService.method.deleteJobs, { ...chosen, cancel, dryRun }, { signal }),
    },
    signal,
  );
}

async function removed(
  connection: Connection,
  id: string,
  { cancel = false, json }: DeleteFlags,
  signal: AbortSignal,
): Promise<string> {
  const { job } = await connection.call(JobService.method.deleteJob, { id, cancel }, { signal });
  const told = answered(job, `job ${id}`);
  return json ? messageJson(JobSchema, told) : `${titleLine(told)}  deleted\n`;
}
