/**
 * npm run demo: makes a sample pair, starts the service, scores the pair as a job, shows the progress and the result,
 * and removes everything again.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jobLines } from "../src/cli/jobs/job-page.ts";
import { jobReport } from "../src/cli/jobs/result.ts";
import { type ProgressLine, progressLine } from "../src/cli/score/progress.ts";
import { printable } from "../src/cli/terminal/escape.ts";
import { listenForInterruption } from "../src/cli/terminal/interrupt.ts";
import { detectTerminal, paint } from "../src/cli/terminal/terminal.ts";
import { Connection } from "../src/client/connection/connection.ts";
import { tolerateClosedOutput } from "../src/platform/config/output.ts";
import { messageOf } from "../src/platform/errors.ts";
import { followJob, submitPair } from "./demo/client.ts";
import { makePair, type Pair } from "./demo/sample.ts";
import { startService } from "./demo/service.ts";

const CHART_HEIGHT = 6;

const NEXT = `Try next:
  bin/svc up                             the service on this machine, and its console at http://127.0.0.1:8080/console
  bin/svc jobs submit REFERENCE DISTORTED --wait
                                         in another terminal: score two videos of your own with it
  bin/svc jobs watch                     running and queued jobs, live
  bin/svc score REFERENCE DISTORTED      score two videos without a service
  bin/svc --help                         everything else; every command has --help with examples`;

async function demo(signal: AbortSignal): Promise<void> {
  const started = performance.now();
  using folder = temporaryFolder();
  const pair = await step("Making a sample pair: 10 s of 1280x720, encoded at two qualities", (line) =>
    makePair(folder.path, signal, (progress) => line.update(progress)),
  );
  const page = await scoreWithService(folder.path, pair, signal);
  say("");
  say(page);
  say(NEXT);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  say(`\nDone in ${seconds} s. The service is stopped and its files are removed.`);
}

/** Returns the report of the pair's job. The service runs only during this function. */
async function scoreWithService(folder: string, pair: Pair, signal: AbortSignal): Promise<string> {
  await using service = await step("Starting the service: svc up", () => startService(folder, signal));
  say(`  REST at ${service.rest}, gRPC at ${service.grpc}`);
  using connection = new Connection({ address: service.grpc });
  const id = await submitPair(connection, pair, signal);
  const job = await step(`Scoring the pair: job ${id}`, (line) => followJob(connection, id, line, signal));
  say(`  in ${job.segmentsTotal} segments, each leased and scored as its own task`);
  const terminal = detectTerminal(process.stdout, process.env);
  const options = { terminal, allMetrics: false, chartHeight: CHART_HEIGHT };
  const report = await jobReport(connection, job, options, signal);
  return [...report, ...jobLines(job, terminal), ""].join("\n");
}

/** Runs a step and prints its title, a progress line on a terminal, and its duration. */
async function step<T>(title: string, run: (line: ProgressLine) => Promise<T>): Promise<T> {
  const started = performance.now();
  const line = progressLine(process.stderr, () => detectTerminal(process.stderr, process.env));
  say(`${title} …`);
  try {
    const result = await run(line);
    line.clear();
    say(`  done in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    return result;
  } finally {
    line.clear();
  }
}

/** A temporary folder, removed on disposal and when the process exits early. */
function temporaryFolder(): Disposable & { readonly path: string } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "svc-demo-")));
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once("exit", remove);
  return {
    path,
    [Symbol.dispose]() {
      remove();
      process.off("exit", remove);
    },
  };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function main(): Promise<void> {
  tolerateClosedOutput();
  using interruption = listenForInterruption();
  try {
    await demo(interruption.signal);
  } catch (error) {
    process.exitCode = interruption.exitCode() ?? 1;
    const terminal = detectTerminal(process.stderr, process.env);
    const message = messageOf(error);
    const last = interruption.signal.aborted
      ? "Stopped. Nothing is left behind."
      : `${paint(terminal, "red", "error:")} ${message.split("\n").map(printable).join("\n       ")}`;
    process.stderr.write(`${last}\n`);
  }
}

await main();
