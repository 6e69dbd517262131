/** The command `svc jobs cancel ID…`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection.ts";
import { type Job, JobSchema, JobService } from "../../gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import { EXIT, exitCodeOf, writeAll } from "../exit.ts";
import { messageJson } from "../message-json.ts";
import {
  addServerOptions,
  answered,
  jsonOption,
  type ServerFlags,
  serverGuide,
  tellFailure,
  withServer,
} from "../server.ts";
import { titleLine, worst } from "./state.ts";

const GUIDE = `
Examples:
  $ svc jobs cancel 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10
  $ svc jobs list --all --label release=7 --json | jq -r .id | xargs svc jobs cancel

${serverGuide({
  0: "every job is cancelled, or was already",
  2: "there is no such job, or it had ended otherwise; the others are cancelled",
})}`;

export function cancelCommand(): Command {
  const command = new PeopleCommand("svc jobs cancel")
    .summary("end jobs that have not ended")
    .description("Cancels jobs. A scorer that works on one is killed within a second.")
    .argument("<id...>", "the jobs' ids, in full")
    .addOption(jsonOption("one job per line"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((ids: readonly string[], flags: ServerFlags) =>
    withServer(flags, (connection, signal) => cancel(connection, ids, flags, signal)),
  );
}

async function cancel(
  connection: Connection,
  ids: readonly string[],
  { json }: ServerFlags,
  signal: AbortSignal,
): Promise<number> {
  const codes: number[] = [];
  for (const id of ids) {
    try {
      const job = await cancelled(connection, id, signal);
      await writeAll(process.stdout, [json ? messageJson(JobSchema, job) : `${titleLine(job)}\n`]);
      codes.push(EXIT.scored);
    } catch (thrown) {
      // What one job is refused for says nothing about the next; a server that is gone does.
      const failure = Failure.from(thrown);
      if (!REFUSALS.has(failure.kind)) throw thrown;
      await tellFailure(failure, { json });
      codes.push(exitCodeOf(failure));
    }
  }
  return worst(codes);
}

const REFUSALS: ReadonlySet<string> = new Set(["not-found", "conflict", "forbidden", "invalid"]);

async function cancelled(connection: Connection, id: string, signal: AbortSignal): Promise<Job> {
  const { job } = await connection.call(JobService.method.cancelJob, { id }, { signal });
  return answered(job, `job ${id}`);
}
