/** The command `svc jobs cancel [ID…]`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection.ts";
import {
  type CancelJobsResponse,
  CancelJobsResponseSchema,
  JobSchema,
  JobService,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { PeopleCommand } from "../command.ts";
import { TIMES_GUIDE } from "../instants.ts";
import { messageJson } from "../message-json.ts";
import { addServerOptions, answered, serverGuide, withServer } from "../server.ts";
import { filterOf } from "./filter.ts";
import { addManyOptions, allChosen, areNamed, eachNamed, type ManyFlags, type Words } from "./many.ts";
import { titleLine } from "./state.ts";

const WORDS: Words = { verb: "Cancel", doing: "Cancelling", done: "cancelled" };

const GUIDE = `
Examples:
  $ svc jobs cancel 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10

  What waits of a release, once you have agreed to how many that are:
    $ svc jobs cancel --state queued --label release=7

  Everything of the last two hours, in a script:
    $ svc jobs cancel --since 2h --yes

${TIMES_GUIDE}

${serverGuide({
  0: "every job is cancelled, or was already",
  2: "there is no such job, it had ended otherwise, or you said no; others that are named are cancelled",
  130: "stopped with Ctrl-C; what was cancelled by then stays so",
})}`;

export function cancelCommand(): Command {
  const command = new PeopleCommand("svc jobs cancel")
    .summary("end jobs that have not ended")
    .description(
      "Cancels jobs: those of the ids, or all that the options choose, in one request. A scorer that works on one is killed within a second.",
    );
  addManyOptions(command, WORDS, "all jobs that wait or run").withGuide(GUIDE);
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
  if (areNamed(ids, flags)) return eachNamed(ids, flags, (id) => cancelled(connection, id, flags, signal));
  const chosen = flags.all ? { all: true } : { filter: filterOf(flags) };
  return allChosen<CancelJobsResponse>(
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
  const told = answered(job, `job ${id}`);
  return json ? messageJson(JobSchema, told) : `${titleLine(told)}\n`;
}
