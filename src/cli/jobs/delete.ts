/** The command `svc jobs delete [ID…]`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import {
  type DeleteJobsResponse,
  DeleteJobsResponseSchema,
  JobSchema,
  JobService,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { PeopleCommand } from "../command.ts";
import { messageJson } from "../connection/message-json.ts";
import { addServerOptions, required, serverGuide, withServer } from "../connection/server.ts";
import { TIMES_GUIDE } from "../flags/instants.ts";
import { optional } from "../flags/optional.ts";
import { addEndOptions, filterOf } from "./filter.ts";
import {
  addManyOptions,
  areGivenById,
  changeAllMatching,
  changeEach,
  type ManyFlags,
  type Words,
} from "./many.ts";
import { titleLine } from "./state.ts";

interface DeleteFlags extends ManyFlags {
  readonly cancel?: boolean;
}

const WORDS: Words = { verb: "Delete", doing: "Deleting", done: "deleted" };

const GUIDE = `
Examples:
  $ svc jobs delete 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10

  Jobs that ended more than 90 days ago, after confirming their number:
    $ svc jobs delete --ended-until 90d

  Failed trials, in a script:
    $ svc jobs delete --state failed --label kind=trial --yes

${TIMES_GUIDE}

${serverGuide({
  0: "the jobs are deleted",
  2: "a job does not exist or has not ended, or you declined; the other given jobs are deleted",
  130: "stopped with Ctrl-C; jobs deleted by then are gone",
})}`;

export function deleteCommand(): Command {
  const command = new PeopleCommand("svc jobs delete")
    .summary("delete finished jobs permanently")
    .description(
      "Permanently deletes jobs with their results, per-frame scores, stills and clips: by id, or all jobs that match the options in one request. Needs the role svc:admin.",
    );
  addEndOptions(addManyOptions(command, WORDS, { all: "all finished jobs" }))
    .addOption(optional("--cancel", "include jobs that have not ended, and cancel them first", "off"))
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
  if (areGivenById(ids, flags)) return changeEach(ids, flags, (id) => removed(connection, id, flags, signal));
  const chosen = flags.all ? { all: true } : { filter: filterOf(flags) };
  return changeAllMatching<DeleteJobsResponse>(
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
  const deletedJob = required(job, `job ${id}`);
  return json ? messageJson(JobSchema, deletedJob) : `${titleLine(deletedJob)}  deleted\n`;
}
