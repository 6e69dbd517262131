/** The command `svc jobs frames ID`. */
import { type Command, Option } from "commander";
import type { Connection } from "../../client/connection.ts";
import { type Job, Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { scoredRate } from "../../jobs/frame-rate.ts";
import { csvHeader, csvLine } from "../../messages/csv.ts";
import { Failure } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import { csvTarget, writeCsv } from "../csv.ts";
import { printableJson, quoteName } from "../escape.ts";
import { EXIT, writeAll } from "../exit.ts";
import { optional } from "../optional.ts";
import { whole } from "../options.ts";
import { addServerOptions, jsonOption, type ServerFlags, serverGuide, withServer } from "../server.ts";
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
  Every frame in a spreadsheet:
    $ svc jobs frames 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --csv frames.csv

  The frames from 250 to 299, each as a line of JSON:
    $ svc jobs frames 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --first 250 --count 50 --json

${serverGuide({
  0: "written; of a job that runs, the frames that are scored so far",
  2: "there is no such job, or the command line is wrong",
  3: "the server cannot be reached or failed, or the file could not be written",
})}`;

export function framesCommand(): Command {
  const command = new PeopleCommand("svc jobs frames")
    .summary("the values of every frame of a job, as CSV or JSON")
    .description("Writes a job's per-frame values in frame order; of a job that runs, those that are there.")
    .argument("<id>", "the job's id, in full")
    .addOption(
      new Option("--csv <file>", 'write CSV to a file, "-" for standard output')
        .default("-", "standard output")
        .conflicts("json"),
    )
    .addOption(jsonOption("one frame per line", "CSV"))
    .addOption(new Option("--first <n>", "first frame, from 0").default(0).argParser(whole(MAX_FRAMES, 0)))
    .addOption(optional("--count <n>", "frames at most", "all").argParser(whole(MAX_FRAMES)))
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
    await writeAll(process.stdout, jsonPieces(connection, id, range, signal));
  } else if (flags.csv === "-") {
    await writeAll(
      process.stdout,
      csvPieces(connection, await fetchJob(connection, id, signal), range, signal),
    );
  } else {
    const target = await csvTarget(flags.csv, []);
    const job = await fetchJob(connection, id, signal);
    await writeCsv(target, csvPieces(connection, job, range, signal), signal);
    await writeAll(process.stdout, [`The values of the frames are in ${quoteName(flags.csv)}.\n`]);
  }
  return EXIT.scored;
}

async function* jsonPieces(
  connection: Connection,
  id: string,
  range: FrameRange,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const rows of framesOf(connection, id, range, signal)) {
    yield rows.map(({ frame, metrics }) => `${printableJson({ frame, metrics })}\n`).join("");
  }
}

async function* csvPieces(
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
    let piece = "";
    for (const row of rows) {
      const unknown = Object.keys(row.metrics).find((metric) => !known.has(metric));
      if (unknown !== undefined) throw grown(unknown);
      piece += csvLine(row.frame, metrics, (metric) => row.metrics[metric], rate);
    }
    yield piece;
  }
}

/**
 * The metrics that the heading needs. A result names them; else the frames are gone through once
 * before, because a value that is not finite is left out of its frame.
 */
async function metricsOf(
  connection: Connection,
  { id, state, result }: Job,
  range: FrameRange,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (state === Job_State.SUCCEEDED && result) return Object.keys(result.pooled);
  const metrics = new Set<string>();
  for await (const rows of framesOf(connection, id, range, signal)) {
    for (const row of rows) for (const metric of Object.keys(row.metrics)) metrics.add(metric);
  }
  return [...metrics];
}

/** The job went on while its frames were read. */
function grown(metric: string): Failure {
  return new Failure(
    "INTERNAL",
    `Frames that were scored meanwhile have a value of ${quoteName(metric)}, which the heading lacks. Ask again.`,
  );
}
