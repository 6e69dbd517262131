/** The command `svc jobs cancel [ID…]`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import {
  type CancelJobsResponse,
  CancelJobsResponseSchema,
  JobSchema,
  JobService,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { PeopleCommand } from "../command.ts";
import { messageJson } from "../connection/message-json.ts";
import { addServerOptions, required, serverGuide, withServer } from "../connection/server.ts";
import { TIMES_GUIDE } from "../flags/instants.ts";
import { filterOf } from "./filter.ts";
import {
  addManyOptions,
  areGivenById,
  changeAllMatching,
  changeEach,
  type ManyFlags,
  type Words,
} from "./many.ts";
import { titleLine } from "./state.ts";

const WORDS: Words = { verb: "Cancel", doing: "Cancelling", done: "cancelled" };

const GUIDE = `
Examples:
  $ svc jobs cancel 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10

  The queued jobs of a release, after confirming their number:
    $ svc jobs cancel --state queued --label release=7

  All jobs of the last two hours, in a script:
    $ svc jobs cancel --since 2h --yes

${TIMES_GUIDE}

${serverGuide({
  0: "every job is cancelled, or was already",
  2: "a job does not exist or has ended otherwise, or you declined; the other given jobs are cancelled",
  130: "stopped with Ctrl-C; jobs cancelled by then stay cancelled",
})}`;

export function cancelCommand(): Command {
  const command = new PeopleCommand("svc jobs cancel")
    .summary("cancel queued and running jobs")
    .description(
      "Cancels jobs by id, or all jobs that match the options in one request. A scorer working on a job is killed within a second.",
    );
  addManyOptions(command, WORDS, { all: "all queued and running jobs" }).withGuide(GUIDE);
  return addServerOptions(command).action((ids: readonly string[], flags: ManyFlags) =>
    withServer(flags, (connection, signal) => cancel(connection, ids, flags, signal)),
  );
}

async function cancel(
  connection: Connection,
  ids: readonly string[],
  flags: ManyFlags,
  signal: AbortSignal,
): Promise<number> {
  if (areGivenById(ids, flags))
    return changeEach(ids, flags, (id) => cancelled(connection, id, flags, signal));
  const chosen = flags.all ? { all: true } : { filter: filterOf(flags) };
  return changeAllMatching<CancelJobsResponse>(
    flags,
    {
      words: WORDS,
      progressOf: ({ matched, cancelled: changed }) => ({ matched, changed }),
      json: (answer) => messageJson(CancelJobsResponseSchema, answer),
      call: (dryRun) => connection.stream(JobService.method.cancelJobs, { ...chosen, dryRun }, { signal }),
    },
    signal,
  );
}

async function cancelled(
  connection: Connection,
  id: string,
  { json }: ManyFlags,
  signal: AbortSignal,
): Promise<string> {
  const { job } = await connection.call(JobService.method.cancelJob, { id }, { signal });
  const updated = required(job, `job ${id}`);
  return json ? messageJson(JobSchema, updated) : `${titleLine(updated)}\n`;
}
