/** The command `svc jobs submit`. */
import { type Command, Option } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import {
  type Job,
  JobSchema,
  SubmitJobRequestSchema,
  type SubmitJobResponse,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { withFacts } from "../../platform/config/help-page.ts";
import { invalid } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import { messageJson } from "../connection/message-json.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";
import { MAX_AWAITED } from "../jobs/wait.ts";
import { gateOption } from "../score/options.ts";
import { printable } from "../terminal/escape.ts";
import { jobsOfList, type ListedJob, readList } from "./list-file.ts";
import { gatesFor, type OutcomeFlags, printOutcomes } from "./outcome.ts";
import { addSpecOptions, type SpecFlags, settingsOf, specOf } from "./spec.ts";
import { notStored, storeList } from "./store-list.ts";
import { uploadOrCheck } from "./upload.ts";

export interface SubmitFlags extends ServerFlags, SpecFlags, OutcomeFlags {
  readonly idempotencyKey?: string;
  readonly from?: string;
  readonly wait?: boolean;
  readonly remoteFiles?: boolean;
  readonly upload?: boolean;
}

const GUIDE = `
Examples:
  One pair; prints the job's id:
    $ svc jobs submit source.mov encode.mp4 --name "trailer, 4 Mbit/s" --label release=7

  In CI: wait, show the report of svc score, fail if the mean is below 93:
    $ svc jobs submit source.mov encode.mp4 --wait --fail-under vmaf.mean=93

  Diagnose a pair on a node as svc doctor does, without a score:
    $ svc jobs submit source.mov encode.mp4 --diagnose --wait

  A film: estimate the mean to ±0.5 from a sample of the frames; svc jobs finish scores the rest:
    $ svc jobs submit source.mov encode.mp4 --estimate 0.5 --wait

  Videos that only this machine has; repeating the command continues an interrupted upload:
    $ svc jobs submit --upload source.mov encode.mp4 --wait

  Many pairs from a CSV file with the columns reference, distorted and label:title; prints one id per line:
    $ svc jobs submit --from pairs.csv --label release=7 --idempotency-key release-7

  The job keeps its gates: svc jobs watch ID exits with 1 if it misses one, svc jobs list --gates-missed finds it:
    $ svc jobs submit source.mov encode.mp4 --fail-under vmaf.mean=93 --fail-under vmaf.p5=85

  Many pairs with their results: prints a line for each job and the totals:
    $ svc jobs submit --from pairs.csv --wait --fail-under vmaf.mean=93

  Many pairs from a program; options give the defaults for each line:
    $ echo '{"reference": "a.mov", "distorted": "a.mp4", "name": "a"}' | svc jobs submit --from - --metric psnr

Files:
  - Paths are made absolute here and opened on the nodes, which must see the files at the same path.
  - If a file is missing but its folder exists on this machine: with a server on this machine the job is
    refused, with another server there is a warning. --remote-files skips this check.
  - --upload sends them to the controller first, or to your tenant's bucket, if it takes uploads
    (docs/uploads.md). Names of objects in storages stay as they are.
  - A list (--from) is JSON lines (fields as in POST /v1/jobs, and idempotencyKey) or CSV with a header
    (reference, distorted, name, model, priority, idempotencyKey, label:KEY). Its paths are relative to
    its folder. If a line is invalid, nothing is submitted.

${serverGuide({
  0: "stored; with --wait: scored, and every gate passed, or diagnosed, and nothing is wrong",
  1: "with --wait: below a gate of the job, undecided by an estimate, or diagnosed, and something is wrong",
  2: "refused; with --wait: the videos cannot be scored or read",
  3: "the server cannot be reached or failed; with --wait: a job failed otherwise, or was cancelled",
  130: "stopped with Ctrl-C; stored jobs continue",
})}`;

export function submitCommand(): Command {
  const command = new PeopleCommand("svc jobs submit")
    .summary("submit pairs to be scored by the nodes")
    .description("Submits a pair of videos, or a list of pairs, and prints the ids of the jobs.")
    .argument("[reference]", "the source video: any container, .y4m or raw .yuv")
    .argument("[distorted]", "the encoded video; scaled to the reference's size if that differs");
  addSpecOptions(command)
    .addOption(optional("--from <file>", 'list of pairs to submit instead, "-" for standard input', "none"))
    .addOption(
      optional(
        "--idempotency-key <key>",
        "makes a retry safe: the same key returns the job stored first; a line of --from gets KEY/LINE",
        "none",
      ),
    )
    .addOption(
      new Option(
        "--remote-files",
        withFacts(
          "don't check files on this machine, because the nodes see others",
          "off",
          "SVC_REMOTE_FILES",
        ),
      ),
    )
    .addOption(optional("--upload", "upload the files of this machine to the controller first", "off"))
    .addOption(optional("--wait", `wait for the result; with --from, of at most ${MAX_AWAITED} jobs`, "off"))
    .addOption(gateOption())
    .addOption(optional("--all-metrics", "with --wait: also show the models' own features", "off"))
    .addOption(optional("-q, --quiet", "with --wait or --upload: print only errors and missed gates", "off"))
    .addOption(jsonOption("the job, with --from one per line,"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((reference?: string, distorted?: string, flags?: SubmitFlags) =>
    flags === undefined ? undefined : submit(reference, distorted, flags),
  );
}

async function submit(
  reference: string | undefined,
  distorted: string | undefined,
  flags: SubmitFlags,
): Promise<void> {
  const stored: Job[] = [];
  const stopped = () =>
    stored.length === 0
      ? "Stopped."
      : "Stopped. The jobs continue: svc jobs watch shows them, svc jobs cancel cancels them.";
  const run = async (connection: Connection, signal: AbortSignal) => {
    checkFlags(flags);
    const named = await jobsOf(reference, distorted, flags, signal);
    const ungated = named.filter(({ request }) => (request.job?.gates.length ?? 0) === 0);
    const gates = await gatesFor(connection, flags, ungated, signal);
    const jobs = await uploadOrCheck(connection, withGates(named, flags.failUnder), flags, signal);
    await store(connection, jobs, flags, stored, signal);
    if (!flags.wait) return EXIT.scored;
    // The stored job may lack gates: controllers of earlier versions store none, and a job that was stored
    // earlier under the same key keeps what it was submitted with.
    const ofJob = ({ spec }: Job) => ((spec?.gates.length ?? 0) > 0 ? [] : gates);
    return printOutcomes(connection, stored, ofJob, flags, signal);
  };
  await withServer(flags, run, stopped);
}

/**
 * Returns the jobs with the gates of --fail-under, which the controller stores. A line of a list can have its
 * own.
 */
function withGates(jobs: readonly ListedJob[], failUnder: readonly string[]): readonly ListedJob[] {
  if (failUnder.length === 0) return jobs;
  return jobs.map(({ line, request }) => {
    const { job } = request;
    if (job === undefined) return { line, request };
    const gates = job.gates.length > 0 ? job.gates : [...failUnder];
    return { line, request: { ...request, job: { ...job, gates } } };
  });
}

function checkFlags({ wait, quiet, allMetrics, upload }: SubmitFlags): void {
  const alone = quiet && !upload ? "--quiet" : allMetrics ? "--all-metrics" : "";
  if (!wait && alone !== "") throw invalid(`${alone} needs a result: give --wait too.`);
}

async function jobsOf(
  reference: string | undefined,
  distorted: string | undefined,
  flags: SubmitFlags,
  signal: AbortSignal,
): Promise<readonly ListedJob[]> {
  const { from, idempotencyKey } = flags;
  if (from === undefined) {
    if (reference === undefined || distorted === undefined) {
      throw invalid("Give a reference and a distorted video, or a list of pairs with --from FILE.");
    }
    const request = { job: specOf(reference, distorted, flags), idempotencyKey: idempotencyKey ?? "" };
    return [{ line: 1, request: { $typeName: SubmitJobRequestSchema.typeName, ...request } }];
  }
  if (reference !== undefined) throw invalid("Give two videos or --from FILE, not both.");
  const list = await readList(from, process.stdin, signal);
  const jobs = jobsOfList(from, list, { settings: settingsOf(flags), keyPrefix: idempotencyKey });
  if (flags.wait && jobs.length > MAX_AWAITED) {
    throw invalid(
      `--wait waits for at most ${MAX_AWAITED} jobs, but ${jobs.length} are listed. Label them and use svc jobs watch --label.`,
    );
  }
  return jobs;
}

/** Stores the jobs and reports them as they are stored. */
async function store(
  connection: Connection,
  jobs: readonly ListedJob[],
  flags: SubmitFlags,
  stored: Job[],
  signal: AbortSignal,
): Promise<void> {
  const listed = flags.from !== undefined;
  await storeList(connection, jobs, {
    listed,
    refusal: listed ? notStored : (failure) => failure,
    signal,
    onStored: async (answers) => {
      stored.push(...answers.flatMap(({ job }) => job ?? []));
      await printStored(answers, flags);
    },
    onWait: ({ message, code }) => {
      if (!flags.quiet) process.stderr.write(`Waiting: ${printable(message)} [${code}]\n`);
    },
  });
}

/** Prints the ids on standard output; with --wait on standard error, because standard output is for the result. */
async function printStored(answers: readonly SubmitJobResponse[], flags: SubmitFlags): Promise<void> {
  const jobs = answers.flatMap(({ job }) => job ?? []);
  const existed = answers.filter((answer) => answer.existed).length;
  if (flags.wait) {
    if (!flags.quiet) process.stderr.write(jobs.map(({ id }) => `Job ${id}\n`).join(""));
  } else {
    const indent = flags.from === undefined ? 2 : undefined;
    await writeAll(
      process.stdout,
      jobs.map((job) => (flags.json ? messageJson(JobSchema, job, indent) : `${job.id}\n`)),
    );
  }
  if (existed > 0 && !flags.quiet) {
    process.stderr.write(
      `${existed} of ${jobs.length} were already stored under the same idempotency key.\n`,
    );
  }
}
