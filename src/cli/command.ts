/** What the commands for people have in common: how they end, and how they tell what went wrong. */
import type { ErrorOptions } from "commander";
import { Failure } from "../platform/failure.ts";
import { GuidedCommand } from "../platform/help.ts";
import { printableLines } from "./escape.ts";
import { type Advice, exitCodeOf, failureJson, failureLines, writeAll } from "./exit.ts";
import { listenForInterruption } from "./interrupt.ts";
import { detectTerminal } from "./terminal.ts";

/** What a failed command says on standard output with --json, where a result would be. */
export const NOT_DONE = "The command failed";

/** A command that tells a wrong command line as every other failure is told: fit for a terminal, and as JSON with --json. */
export class PeopleCommand extends GuidedCommand {
  override error(message: string, options?: ErrorOptions): never {
    if (process.argv.includes("--json")) {
      const failure = new Failure("INVALID_REQUEST", message.replace(/^error: /, ""));
      process.stdout.write(failureJson(failure, NOT_DONE, 2));
    }
    super.error(printableLines(message).join("\n"), options);
  }
}

/** A failure when the outcome was told already: standard output may hold it, and takes nothing more. */
export class AfterOutcome extends Error {
  override readonly name = "AfterOutcome";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message, { cause: failure });
    this.failure = failure;
  }
}

export interface Telling {
  /** A failure is told on standard output too, as JSON: on one line, or with `indent` on several. */
  readonly json: boolean | undefined;
  readonly indent?: number;
  /** What did not happen, for that JSON. */
  readonly title: string;
  readonly advice: Advice;
  /** What is said after Ctrl-C. */
  readonly stopped?: () => string;
}

/**
 * Runs what a command does, until its end or Ctrl-C, and sets the process's exit code: what `run`
 * returns, or what a failure means. Never throws.
 */
export async function conclude(
  telling: Telling,
  run: (signal: AbortSignal) => Promise<number>,
): Promise<void> {
  using interruption = listenForInterruption();
  try {
    process.exitCode = await run(interruption.signal);
  } catch (thrown) {
    const late = thrown instanceof AfterOutcome;
    const failure = late ? thrown.failure : Failure.from(thrown);
    process.exitCode = interruption.exitCode() ?? exitCodeOf(failure);
    if (telling.json && !late) {
      await writeAll(process.stdout, [failureJson(failure, telling.title, telling.indent)]).catch(() => {});
    }
    const lines = interruption.signal.aborted
      ? [telling.stopped?.() ?? "Stopped."]
      : failureLines(failure, detectTerminal(process.stderr, process.env), telling.advice);
    process.stderr.write(`${lines.join("\n")}\n`);
  }
}
