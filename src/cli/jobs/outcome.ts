/** What became of jobs that were waited for: progress, then each result held against the gates. */
import type { Connection } from "../../client/connection.ts";
import { DEFAULT_MODEL } from "../../engine/request.ts";
import { type Job, Job_State, JobSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import { printable } from "../escape.ts";
import { EXIT, writeAll } from "../exit.ts";
import { checkGates, expectGate, type Gate, gateLines, parseGate } from "../gates.ts";
import { messageJson } from "../message-json.ts";
import { progressLine } from "../progress.ts";
import { tellFailure } from "../server.ts";
import { detectTerminal, type Terminal } from "../terminal.ts";
import { fetchJob } from "./get.ts";
import { jobLines } from "./job-page.ts";
import type { ListedJob } from "./list-file.ts";
import { jobReport } from "./result.ts";
import { exitCodeOfJob, failureOfJob, progressOf, titleOf, worst } from "./state.ts";
import { awaitJobs, type Watcher } from "./wait.ts";
import { boardWatcher } from "./watch.ts";

export interface OutcomeFlags {
  readonly failUnder: readonly string[];
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly allMetrics?: boolean;
  readonly from?: string;
}

/** The gates, checked against what every job will have. Throws Failure. */
export function expectedGates({ failUnder }: OutcomeFlags, jobs: readonly ListedJob[]): readonly Gate[] {
  const gates = failUnder.map(parseGate);
  for (const { request } of jobs) {
    const { model = "", models = [], features = [] } = request.job ?? {};
    const expected = { models: models.length > 0 ? models : [model || DEFAULT_MODEL], features };
    for (const gate of gates) expectGate(gate, expected);
  }
  return gates;
}

/** Waits until the jobs have ended and tells of each; the exit code of the worst. Throws Failure. */
export async function tellOutcomes(
  connection: Connection,
  jobs: readonly Job[],
  gates: readonly Gate[],
  flags: OutcomeFlags,
  signal: AbortSignal,
): Promise<number> {
  const ids = [...new Set(jobs.map(({ id }) => id))];
  const ended = await awaited(connection, ids, flags, signal);
  const codes: number[] = [];
  for (const job of ended) codes.push(await tellOutcome(connection, job, gates, flags, signal));
  return worst(codes);
}

async function awaited(
  connection: Connection,
  ids: readonly string[],
  flags: OutcomeFlags,
  signal: AbortSignal,
): Promise<readonly Job[]> {
  if (flags.quiet) return awaitJobs(connection, ids, {}, signal);
  if (flags.from !== undefined) {
    using shown = boardWatcher(flags.json ? process.stderr : process.stdout);
    return await awaitJobs(connection, ids, shown.watcher, signal);
  }
  const line = progressLine(process.stderr, () => detectTerminal(process.stderr, process.env));
  try {
    return await awaitJobs(connection, ids, lineWatcher(line), signal);
  } finally {
    line.clear();
  }
}

function lineWatcher(line: ReturnType<typeof progressLine>): Watcher {
  return {
    onJob(job) {
      if (job.progress) line.update(progressOf(job.progress));
      else line.note(job.state === Job_State.QUEUED ? "Waiting for a node …" : "Reading the two files …");
    },
    onOutage: (failure) => line.note(failure === undefined ? "Connected again." : printable(failure.message)),
  };
}

async function tellOutcome(
  connection: Connection,
  ended: Job,
  gates: readonly Gate[],
  flags: OutcomeFlags,
  signal: AbortSignal,
): Promise<number> {
  const single = flags.from === undefined;
  const succeeded = ended.state === Job_State.SUCCEEDED;
  const job = succeeded || flags.json ? await fetchJob(connection, ended.id, signal) : ended;
  if (flags.json) await writeAll(process.stdout, [messageJson(JobSchema, job, single ? 2 : undefined)]);
  if (!succeeded) {
    if (single || flags.quiet) await tellFailure(failureOfJob(job), { json: false });
    return exitCodeOfJob(job);
  }
  if (single && !flags.quiet && !flags.json) {
    const terminal = detectTerminal(process.stdout, process.env);
    const options = { terminal, allMetrics: flags.allMetrics === true };
    const lines = [...(await jobReport(connection, job, options, signal)), ...jobLines(job, terminal)];
    await writeAll(process.stdout, [`${lines.join("\n")}\n`]);
  }
  return judge(job, gates, flags);
}

/** Tells how the gates came out, with --quiet the missed ones only, and the job where there are several. */
async function judge(job: Job, gates: readonly Gate[], flags: OutcomeFlags): Promise<number> {
  const { models = [], pooled = {} } = job.result ?? {};
  const expected = { models: models.map(({ model }) => model), features: job.spec?.features ?? [] };
  const named = gates.map((gate) => expectGate(gate, expected));
  const outcomes = checkGates(named, pooled);
  const missed = outcomes.filter(({ passed }) => !passed);
  const stream = flags.json || flags.quiet ? process.stderr : process.stdout;
  const shown = flags.quiet ? missed : outcomes;
  const which = flags.from === undefined ? "" : `  ${job.id}  ${printable(titleOf(job))}`;
  const terminal: Terminal = detectTerminal(stream, process.env);
  await writeAll(
    stream,
    gateLines(shown, terminal).map((line) => `${line}${which}\n`),
  );
  return missed.length > 0 ? EXIT.underGate : EXIT.scored;
}
