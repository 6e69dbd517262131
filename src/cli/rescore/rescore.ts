/** The command `svc jobs rescore [ID…]`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { type Job, JobSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import { batchesOf } from "../../platform/batches.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import { messageJson } from "../connection/message-json.ts";
import { addServerOptions, printFailure, serverGuide, withServer } from "../connection/server.ts";
import { EXIT, exitCodeOf, writeAll } from "../exit.ts";
import { TIMES_GUIDE } from "../flags/instants.ts";
import { optional } from "../flags/optional.ts";
import { addEndOptions, addSubmitOptions } from "../jobs/filter.ts";
import {
  addManyOptions,
  areGivenById,
  changeEach,
  isConfirmed,
  jobsText,
  type ManyFlags,
  type Words,
} from "../jobs/many.ts";
import { worst } from "../jobs/state.ts";
import { MAX_AWAITED } from "../jobs/wait.ts";
import { modelOption, scorerVersionOption } from "../score/options.ts";
import { progressLine } from "../score/progress.ts";
import { awaitListed } from "../submit/outcome.ts";
import { printable } from "../terminal/escape.ts";
import { detectTerminal, tableTerminal } from "../terminal/terminal.ts";
import { type Change, withDifference } from "./change.ts";
import { type ComparedRow, compare, comparisonJson, comparisonLines, rowOf } from "./comparison.ts";
import { type Resubmission, resubmit } from "./resubmit.ts";
import { succeededJob, succeededJobs } from "./selection.ts";

interface RescoreFlags extends ManyFlags {
  readonly model?: readonly string[];
  readonly scorerVersion?: string;
  readonly wait?: boolean;
}

const WORDS: Words = { verb: "Rescore", doing: "Submitting", done: "rescored" };

const GUIDE = `
Examples:
  A release with the version 1 models, after confirming the number of jobs; prints old beside new scores:
    $ svc jobs rescore --label release=7 --model v1 --wait

  The same for a job, with another version of the scorer, for a program:
    $ svc jobs rescore 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --scorer-version 9.0.2 --wait --json

Jobs:
  - Only jobs that succeeded are rescored. The old jobs stay as they are, with their scores.
  - A new job has everything of the old one but models and scorer, and the label svc/rescore-of=ID.
    Gates that do not fit the new models are left out.
  - The command can be repeated: what it stored before is not stored again, and --wait then shows all.
    A new job that failed is not stored again either, until it is deleted (svc jobs delete).
  - With options, jobs that already have these models and scorer, and jobs that were rescored from
    another of the jobs with the same outcome, are left out.

${TIMES_GUIDE}

${serverGuide({
  0: "stored; with --wait: every job has a new score",
  1: "with --wait: a new job misses one of its gates",
  2: "a job does not exist, has not succeeded or was refused, or you declined; with --wait: a pair cannot be scored",
  3: "the server cannot be reached or failed; with --wait: a new job failed otherwise, or was cancelled",
  130: "stopped with Ctrl-C; stored jobs continue",
})}`;

export function rescoreCommand(): Command {
  const command = new PeopleCommand("svc jobs rescore")
    .summary("score finished jobs again with another model or scorer")
    .description(
      "Submits jobs that succeeded again with other models, another version of the scorer, or both, and prints the ids of the new jobs. With --wait it compares the scores.",
    );
  addManyOptions(command, WORDS, {
    all: "all jobs that succeeded",
    json: "one new job per line, with --wait both jobs, with --dry-run the counts,",
    addFilters: (own) => addEndOptions(addSubmitOptions(own)),
  })
    .addOption(modelOption("as each job"))
    .addOption(scorerVersionOption("as each job"))
    .addOption(optional("--wait", "wait for the new scores and print them beside the old ones", "off"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((ids: readonly string[], flags: RescoreFlags) =>
    withServer(
      flags,
      (connection, signal) => rescore(connection, ids, flags, signal),
      () => "Stopped. Stored jobs continue; the same command with --wait compares their scores.",
    ),
  );
}

async function rescore(
  connection: Connection,
  ids: readonly string[],
  flags: RescoreFlags,
  signal: AbortSignal,
): Promise<number> {
  const change = changeOf(flags);
  if (!areGivenById(ids, flags)) {
    const found = await succeededJobs(connection, flags, signal);
    const jobs = withDifference(found, change);
    if (flags.dryRun || jobs.length === 0) return printCounts(found.length, jobs.length, flags);
    if (!flags.yes && !(await isConfirmed(jobs.length, WORDS, signal))) return EXIT.input;
    return rescoreAll(connection, jobs, change, flags, signal);
  }
  const jobs: Job[] = [];
  const code = await changeEach([...new Set(ids)], flags, async (id) => {
    const job = await succeededJob(connection, id, signal);
    if (withDifference([job], change).length === 0)
      throw invalid(`Job ${id} already has these models and this scorer. Name others.`);
    jobs.push(job);
    return "";
  });
  return worst([code, await rescoreAll(connection, jobs, change, flags, signal)]);
}

/** Throws INVALID_REQUEST. */
function changeOf({ model, scorerVersion }: RescoreFlags): Change {
  if (model !== undefined || scorerVersion !== undefined) return { models: model, scorerVersion };
  throw invalid("Nothing would change. Give --model, --scorer-version, or both.");
}

async function printCounts(found: number, matched: number, { json }: RescoreFlags): Promise<number> {
  const skipped = found - matched;
  const left = skipped > 0 ? ` ${jobsText(skipped)} left out: rescoring them gives nothing new.` : "";
  const text = matched === 0 ? "No jobs." : `${jobsText(matched)} would be ${WORDS.done}.`;
  await writeAll(process.stdout, [json ? `${JSON.stringify({ matched, skipped })}\n` : `${text}${left}\n`]);
  return EXIT.scored;
}

async function rescoreAll(
  connection: Connection,
  jobs: readonly Job[],
  change: Change,
  flags: RescoreFlags,
  signal: AbortSignal,
): Promise<number> {
  const all = await store(connection, jobs, change, signal);
  const existed = all.filter((one) => one.stored !== undefined && one.existed).length;
  if (existed > 0) process.stderr.write(`${existed} of ${jobsText(all.length)} were already stored.\n`);
  if (!flags.wait) return printStored(all, flags);
  const rows = await outcomes(connection, all, flags, signal);
  const stream = flags.json ? process.stderr : process.stdout;
  const lines = rows.length === 0 ? [] : comparisonLines(rows, tableTerminal(stream, process.env));
  await writeAll(
    stream,
    lines.map((line) => `${line}\n`),
  );
  return worst(rows.map(({ exitCode }) => exitCode));
}

async function store(
  connection: Connection,
  jobs: readonly Job[],
  change: Change,
  signal: AbortSignal,
): Promise<readonly Resubmission[]> {
  const line = progressLine(process.stderr, () => detectTerminal(process.stderr, process.env));
  try {
    return await resubmit(connection, jobs, {
      ...{ change, signal },
      onProgress: (done) => line.note(`${WORDS.doing} ${done} of ${jobsText(jobs.length)} …`),
      onWait: ({ message, code }) => {
        line.clear();
        process.stderr.write(`Waiting: ${printable(message)} [${code}]\n`);
      },
    });
  } finally {
    line.clear();
  }
}

/** Prints the new jobs, and on standard error those that were refused. Returns the worst exit code. */
async function printStored(all: readonly Resubmission[], { json }: RescoreFlags): Promise<number> {
  const codes: number[] = [];
  for (const { old, stored, refusal } of all) {
    if (stored) await writeAll(process.stdout, [json ? messageJson(JobSchema, stored) : `${stored.id}\n`]);
    if (refusal === undefined) continue;
    const { code, message, found } = refusal;
    const failure = new Failure(code, `Job ${old.id}: ${message}`, { ...(found && { found }) });
    await printFailure(failure, { json });
    codes.push(exitCodeOf(failure));
  }
  return worst(codes);
}

/**
 * Waits for the new jobs and returns a row for each pair of old and new job. With --json, also prints a line for each
 * job.
 */
async function outcomes(
  connection: Connection,
  all: readonly Resubmission[],
  { json }: RescoreFlags,
  signal: AbortSignal,
): Promise<readonly ComparedRow[]> {
  const ids = [...new Set(all.flatMap(({ stored }) => stored?.id ?? []))];
  const ended = new Map<string, Job>();
  for (const batch of batchesOf(ids, MAX_AWAITED))
    for (const job of await awaitListed(connection, batch, signal)) ended.set(job.id, job);
  const rows: ComparedRow[] = [];
  for (const one of all) {
    const next = await compare(connection, one, ended.get(one.stored?.id ?? ""), signal);
    if (json) await writeAll(process.stdout, [comparisonJson(next)]);
    rows.push(rowOf(next));
  }
  return rows;
}
