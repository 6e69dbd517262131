/**
 * npm run demo: makes a sample pair, starts the service, scores the pair over its
 * gRPC interface, shows the result, and takes everything away again.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { printable } from "../src/cli/escape.ts";
import { listenForInterruption } from "../src/cli/interrupt.ts";
import { type ProgressLine, progressLine } from "../src/cli/progress.ts";
import { report } from "../src/cli/report.ts";
import { detectTerminal, paint } from "../src/cli/terminal.ts";
import type { ScoreView } from "../src/cli/view.ts";
import { tolerateClosedOutput } from "../src/platform/output.ts";
import { scorePair } from "./demo/client.ts";
import { makePair, type Pair } from "./demo/sample.ts";
import { startService } from "./demo/service.ts";

const CHART_HEIGHT = 6;

const NEXT = `Try next:
  npx svc score REFERENCE DISTORTED      score two videos of your own, no server needed
  npx svc score REFERENCE DISTORTED --csv frames.csv --fail-under vmaf.mean=93
  npx svc server                         serve scores: REST on port 8080, with a page at /ui, gRPC on 9090
  npx svc score --help                   everything else, with examples`;

async function demo(signal: AbortSignal): Promise<void> {
  const started = performance.now();
  using folder = temporaryFolder();
  const pair = await step("Making a sample pair: 10 s of 1280x720, encoded at two qualities", (line) =>
    makePair(folder.path, signal, (progress) => line.update(progress)),
  );
  const view = await scoreWithService(folder.path, pair, signal);
  say("");
  say(page(view, pair));
  say(NEXT);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  say(`\nDone in ${seconds} s. The service is stopped and its files are removed.`);
}

/** The service lives as long as this function runs. */
async function scoreWithService(folder: string, pair: Pair, signal: AbortSignal): Promise<ScoreView> {
  await using service = await step("Starting the service", () => startService(folder, signal));
  say(`  REST at ${service.rest}, gRPC at ${service.grpc}`);
  return await step("Scoring the pair over the service's API", (line) =>
    scorePair(service.grpc, pair, signal, (progress) => line.update(progress)),
  );
}

/** Tells what is going on, with a progress line on a terminal, and how long it took. */
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

function page(view: ScoreView, pair: Pair): string {
  const terminal = detectTerminal(process.stdout, process.env);
  const names = { reference: basename(pair.reference), distorted: basename(pair.distorted) };
  const options = { terminal, names, features: ["psnr"], allMetrics: false, chartHeight: CHART_HEIGHT };
  return report(view, options).join("\n");
}

/** Removed when disposed, and when the process ends in a hurry. */
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
    const message = error instanceof Error ? error.message : String(error);
    const told = interruption.signal.aborted
      ? "Stopped. Nothing is left behind."
      : `${paint(terminal, "red", "error:")} ${message.split("\n").map(printable).join("\n       ")}`;
    process.stderr.write(`${told}\n`);
  }
}

await main();
