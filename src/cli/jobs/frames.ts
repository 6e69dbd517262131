/** The command `svc jobs frames ID`. */
import { type Command, Option } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { type Job, Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { scoredRate } from "../../jobs/frame-rate.ts";
import { csvHeader, csvLine } from "../../messages/csv.ts";
import { Failure } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";
import { csvTarget } from "../score/csv.ts";
import { whole } from "../score/options.ts";
import { writeOutput } from "../score/output-file.ts";
import { printableJson, quoteName } from "../terminal/escape.ts";
import { fetchJob } from "./get.ts";
import { type FrameRange, framesOf } from "./result.ts";

interface FramesFlags extends ServerFlags {
  readonly csv: string;
  readonly first: number;
  readonly count?: number;
}

const MAX_FRAMES = 999_999_999;

const GUIDE = `
Examples:
  All per-frame scores, for a spreadsheet:
    $ svc jobs frames 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --csv frames.csv

  Frames 250 to 299, one line of JSON each:
    $ svc jobs frames 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --first 250 --count 50 --json

${serverGuide({
  0: "written; for a running job, the frames scored so far",
  2: "the job does not exist, or the command line is wrong",
  3: "the server cannot be reached or failed, or the file could not be written",
})}`;

export function framesCommand(): Command {
  const command = new PeopleCommand("svc jobs frames")
    .summary("print a job's per-frame scores as CSV or JSON")
    .description(
      "Writes a job's per-frame scores in frame order; for a running job, those of the frames scored so far.",
    )
    .argument("<id>", "the job's full id")
    .addOption(
      new Option("--csv <file>", 'write CSV to a file, "-" for standard output')
        .default("-", "standard output")
        .conflicts("json"),
    )
    .addOption(jsonOption("one frame per line", "CSV"))
    .addOption(new Option("--first <n>", "first frame, from 0").default(0).argParser(whole(MAX_FRAMES, 0)))
    .addOption(optional("--count <n>", "number of frames at most", "all").argParser(whole(MAX_FRAMES)))
    .withGuide(GUIDE);
  return addServerOptions(command).action((id: string, flags: FramesFlags) =>
    withServer(flags, (connection, signal) => frames(connection, id, flags, signal)),
  );
}

async function frames(
  connection: Connection,
  id: string,
  flags: FramesFlags,
  signal: AbortSignal,
): Promise<number> {
  const range = { first: flags.first, count: flags.count ?? 0 };
  if (flags.json) {
    await writeAll(process.stdout, jsonChunks(connection, id, range, signal));
  } else if (flags.csv === "-") {
    await writeAll(
      process.stdout,
      csvChunks(connection, await fetchJob(connection, id, signal), range, signal),
    );
  } else {
    const target = await csvTarget(flags.csv, []);
    const job = await fetchJob(connection, id, signal);
    await writeOutput(target, csvChunks(connection, job, range, signal), signal);
    await writeAll(process.stdout, [`Per-frame scores written to ${quoteName(flags.csv)}.\n`]);
  }
  return EXIT.scored;
}

async function* jsonChunks(
  connection: Connection,
  id: string,
  range: FrameRange,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const rows of framesOf(connection, id, range, signal)) {
    yield rows.map(({ frame, metrics }) => `${printableJson({ frame, metrics })}\n`).join("");
  }
}

async function* csvChunks(
  connection: Connection,
  job: Job,
  range: FrameRange,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const metrics = await metricsOf(connection, job, range, signal);
  const known = new Set(metrics);
  const rate = scoredRate(job.result ?? job.plan ?? {});
  yield csvHeader(metrics);
  for await (const rows of framesOf(connection, job.id, range, signal)) {
    let chunk = "";
    for (const row of rows) {
      const unknown = Object.keys(row.metrics).find((metric) => !known.has(metric));
      if (unknown !== undefined) throw jobProgressed(unknown);
      chunk += csvLine(row.frame, metrics, (metric) => row.metrics[metric], rate);
    }
    yield chunk;
  }
}

/**
 * Returns the metrics for the header. A result names them. Otherwise all frames are read once to find them, because a
 * frame omits values that aren't finite.
 */
async function metricsOf(
  connection: Connection,
  { id, state, result }: Job,
  range: FrameRange,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (state === Job_State.SUCCEEDED && result) {
    const { models, features } = result;
    return [...models.map(({ metric }) => metric), ...Object.keys(features)];
  }
  const metrics = new Set<string>();
  for await (const rows of framesOf(connection, id, range, signal)) {
    for (const row of rows) for (const metric of Object.keys(row.metrics)) metrics.add(metric);
  }
  return [...metrics];
}

/** The failure for a metric that appeared because the job progressed while its frames were read. */
function jobProgressed(metric: string): Failure {
  return new Failure(
    "INTERNAL",
    `Frames scored in the meantime have a score of ${quoteName(metric)}, which the CSV header lacks. Run the command again.`,
  );
}
