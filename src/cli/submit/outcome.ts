/** Waits for jobs with a progress display, then prints their results and checks the gates. */
import type { Connection } from "../../client/connection/connection.ts";
import { type Job, Job_State, JobSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import { TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { DEFAULT_MODEL } from "../../jobs/default-models.ts";
import type { Gate } from "../../jobs/gates/gate.ts";
import { isMissed, judgeGates } from "../../jobs/gates/outcome.ts";
import { fetchText } from "../../jobs/quantities.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import { messageJson } from "../connection/message-json.ts";
import { printFailure } from "../connection/server.ts";
import { exitCodeOfDiagnosis } from "../doctor/view.ts";
import { EXIT, exitCodeOf, writeAll } from "../exit.ts";
import { keptGates } from "../jobs/gates.ts";
import { fetchJob } from "../jobs/get.ts";
import { jobLines } from "../jobs/job-page.ts";
import { jobReport } from "../jobs/result.ts";
import { scoredApartLines } from "../jobs/scored-apart.ts";
import { exitCodeOfJob, failureOfJob, progressOf, worst } from "../jobs/state.ts";
import { awaitJobs, type Watcher } from "../jobs/wait.ts";
import { boardWatcher } from "../jobs/watch.ts";
import { expectedGates, gateLines, parseGates, requireEvaluated } from "../score/gates.ts";
import { progressLine } from "../score/progress.ts";
import { printable } from "../terminal/escape.ts";
import { detectTerminal, tableTerminal } from "../terminal/terminal.ts";
import type { ListedJob } from "./list-file.ts";
import { type EndedJob, isUnderGate, summaryLines, totalsLine } from "./summary.ts";

const NOWHERE = { write() {} };

export interface OutcomeFlags {
  readonly failUnder: readonly string[];
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly allMetrics?: boolean;
  readonly from?: string;
}

/** Parses the gates of --fail-under, and checks them against the metrics that every job will have. Throws INVALID_REQUEST. */
export async function gatesFor(
  connection: Connection,
  { failUnder }: OutcomeFlags,
  jobs: readonly Pick<ListedJob, "request">[],
  signal: AbortSignal,
): Promise<readonly Gate[]> {
  if (failUnder.length === 0) return [];
  const gates = parseGates(failUnder);
  if (jobs.some(({ request }) => request.job?.diagnoseOnly))
    throw invalid("--fail-under needs a score, but a pair is only diagnosed. Leave out one of the two.");
  const models = jobs.map(({ request: { job } }) => (job?.model ? [job.model] : (job?.models ?? [])));
  const asksTenant = models.some((own) => own.length === 0);
  const defaults = asksTenant ? await defaultModels(connection, signal) : [];
  for (const [index, { request }] of jobs.entries()) {
    const own = models[index] ?? [];
    const expected = { models: own.length > 0 ? own : defaults, features: request.job?.features ?? [] };
    expectedGates(failUnder, expected, request.job?.estimate !== undefined);
  }
  return gates;
}

/** Returns the models of the tenant's jobs that name none. A controller of an earlier version reports none. */
async function defaultModels(connection: Connection, signal: AbortSignal): Promise<readonly string[]> {
  const { tenant } = await connection.call(TenantService.method.getTenant, {}, { signal });
  const models = tenant?.defaultModels ?? [];
  return models.length > 0 ? models : [DEFAULT_MODEL];
}

/**
 * Waits until the jobs have ended, and prints the report of one job or the summary of a list. `gatesOf`:
 * gates of a job in addition to the stored ones. Returns the worst exit code. Throws Failure.
 */
export async function printOutcomes(
  connection: Connection,
  jobs: readonly Job[],
  gatesOf: (job: Job) => readonly Gate[],
  flags: OutcomeFlags,
  signal: AbortSignal,
): Promise<number> {
  const ids = [...new Set(jobs.map(({ id }) => id))];
  const ended = await awaited(connection, ids, flags, signal);
  const judged: EndedJob[] = [];
  for (const job of ended) judged.push(await judge(connection, job, gatesOf(job), flags, signal));
  if (flags.from === undefined) {
    for (const one of judged) await printOutcome(connection, one, flags, signal);
  } else await printOutcomeList(judged, flags);
  return worst(judged.map(codeOf));
}

function codeOf(ended: EndedJob): number {
  if (ended.fault !== undefined) return exitCodeOf(ended.fault);
  const { diagnosis } = ended.job;
  if (diagnosis !== undefined) return exitCodeOfDiagnosis(diagnosis);
  return isUnderGate(ended) ? EXIT.underGate : exitCodeOfJob(ended.job);
}

async function awaited(
  connection: Connection,
  ids: readonly string[],
  flags: OutcomeFlags,
  signal: AbortSignal,
): Promise<readonly Job[]> {
  if (flags.quiet) return awaitJobs(connection, ids, {}, signal);
  if (flags.from !== undefined) return awaitListed(connection, ids, signal);
  const line = progressLine(process.stderr, () => detectTerminal(process.stderr, process.env));
  try {
    return await awaitJobs(connection, ids, lineWatcher(line), signal);
  } finally {
    line.clear();
  }
}

/** Waits for many jobs that are summarised afterwards, and shows their progress on standard error. */
export async function awaitListed(
  connection: Connection,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Job[]> {
  // Progress bars suffice where they can be drawn, because the summary has a line for each job.
  const { live } = detectTerminal(process.stderr, process.env);
  using shown = boardWatcher(live ? NOWHERE : process.stderr);
  return await awaitJobs(connection, ids, shown.watcher, signal);
}

function lineWatcher(line: ReturnType<typeof progressLine>): Watcher {
  return {
    onJob(job) {
      if (job.fetch) line.note(`${fetchText(job.fetch)} …`);
      else if (job.progress) line.update(progressOf(job.progress, job));
      else line.note(job.state === Job_State.QUEUED ? "Waiting for a node …" : "Reading the two files …");
    },
    onOutage: (failure) => line.note(failure === undefined ? "Reconnected." : printable(failure.message)),
  };
}

/** Fetches what the job stream omits, if needed, and checks the score against the gates. */
async function judge(
  connection: Connection,
  ended: Job,
  gates: readonly Gate[],
  { from, json }: OutcomeFlags,
  signal: AbortSignal,
): Promise<EndedJob> {
  const succeeded = ended.state === Job_State.SUCCEEDED;
  const isShown =
    from === undefined || gates.length > 0 || ended.gates.length > 0 || ended.spec?.diagnoseOnly;
  const isNeeded = json || (succeeded && isShown);
  const job = isNeeded ? await fetchJob(connection, ended.id, signal) : ended;
  if (json) await writeAll(process.stdout, [messageJson(JobSchema, job, from === undefined ? 2 : undefined)]);
  if (!succeeded) return { job, gates: [] };
  const kept = keptGates(job);
  const others = gates.filter(({ text }) => !kept.some(({ gate }) => gate.text === text));
  const { models = [], pooled = {}, estimate } = job.result ?? {};
  const outcomes = [...kept, ...judgeGates(others, { models, pooled, estimate })];
  try {
    requireEvaluated(outcomes, Object.keys(pooled));
    return { job, gates: outcomes };
  } catch (thrown) {
    // The score exists nevertheless, and is shown.
    return { job, gates: [], fault: Failure.from(thrown) };
  }
}

/** Prints the report of a pair with its gates, or the reason why there is no report. */
async function printOutcome(
  connection: Connection,
  { job, gates, fault }: EndedJob,
  flags: OutcomeFlags,
  signal: AbortSignal,
): Promise<void> {
  if (job.state !== Job_State.SUCCEEDED) return printFailure(failureOfJob(job), { json: false });
  if (!flags.quiet && !flags.json) {
    const terminal = detectTerminal(process.stdout, process.env);
    const options = { terminal, allMetrics: flags.allMetrics === true };
    const lines = [...(await jobReport(connection, job, options, signal)), ...jobLines(job, terminal)];
    await writeAll(process.stdout, [`${lines.join("\n")}\n`]);
  }
  if (fault !== undefined) return printFailure(fault, { json: false });
  const stream = flags.json || flags.quiet ? process.stderr : process.stdout;
  const shown = flags.quiet ? gates.filter(isMissed) : gates;
  await writeLines(stream, gateLines(shown, detectTerminal(stream, process.env)));
}

/** Prints the summary; with --quiet, only jobs that failed or missed a gate. */
async function printOutcomeList(ended: readonly EndedJob[], { json, quiet }: OutcomeFlags): Promise<void> {
  const stream = json || quiet ? process.stderr : process.stdout;
  const terminal = tableTerminal(stream, process.env);
  const scorerLines = scoredApartLines(
    ended.map(({ job }) => job),
    terminal,
  );
  if (!quiet)
    return writeLines(stream, [...summaryLines(ended, terminal), totalsLine(ended), ...scorerLines]);
  const wrong = ended.filter((one) => codeOf(one) !== EXIT.scored);
  if (wrong.length > 0) await writeLines(stream, summaryLines(wrong, terminal));
}

async function writeLines(stream: NodeJS.WriteStream, lines: readonly string[]): Promise<void> {
  await writeAll(
    stream,
    lines.map((line) => `${line}\n`),
  );
}
