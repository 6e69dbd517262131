/** What the commands for people share: exit codes and error output. */
import type { ErrorOptions } from "commander";
import { GuidedCommand } from "../platform/config/help.ts";
import { Failure } from "../platform/failure.ts";
import { type Advice, exitCodeOf, failureJson, failureLines, writeAll } from "./exit.ts";
import type { PairCommands } from "./findings/refused.ts";
import { printableLines } from "./terminal/escape.ts";
import { listenForInterruption } from "./terminal/interrupt.ts";
import { detectTerminal } from "./terminal/terminal.ts";

/** Title of the problem that a failed command prints on standard output with --json, in place of a result. */
export const NOT_DONE = "The command failed";

/**
 * A command that reports a wrong command line like any other failure: escaped for a terminal, and as JSON with --json.
 */
export class PeopleCommand extends GuidedCommand {
  override error(message: string, options?: ErrorOptions): never {
    if (process.argv.includes("--json")) {
      const failure = new Failure("INVALID_REQUEST", message.replace(/^error: /, ""));
      process.stdout.write(failureJson(failure, NOT_DONE, 2));
    }
    super.error(printableLines(message).join("\n"), options);
  }
}

/** A failure after the outcome was printed: standard output may hold the outcome, so nothing more is written to it. */
export class AfterOutcome extends Error {
  override readonly name = "AfterOutcome";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message, { cause: failure });
    this.failure = failure;
  }
}

export interface FailureText {
  /** Also prints a failure on standard output, as JSON: on one line, or on several with `indent`. */
  readonly json: boolean | undefined;
  readonly indent?: number;
  /** Title of that JSON: what did not happen, such as "The pair was not scored". */
  readonly title: string;
  readonly advice: Advice;
  /** The commands to suggest if a pair is refused. */
  readonly commands?: PairCommands;
  /** Returns the message after Ctrl-C. */
  readonly stopped?: () => string;
}

/**
 * Runs a command until it ends or Ctrl-C. Sets the process's exit code to what `run` returns, or to the code of a
 * failure. Never throws.
 */
export async function conclude(
  failureText: FailureText,
  run: (signal: AbortSignal) => Promise<number>,
): Promise<void> {
  using interruption = listenForInterruption();
  try {
    process.exitCode = await run(interruption.signal);
  } catch (thrown) {
    const late = thrown instanceof AfterOutcome;
    const failure = late ? thrown.failure : Failure.from(thrown);
    process.exitCode = interruption.exitCode() ?? exitCodeOf(failure);
    if (failureText.json && !late) {
      await writeAll(process.stdout, [failureJson(failure, failureText.title, failureText.indent)]).catch(
        () => {},
      );
    }
    const lines = interruption.signal.aborted
      ? [failureText.stopped?.() ?? "Stopped."]
      : await failureLines(
          failure,
          detectTerminal(process.stderr, process.env),
          failureText.advice,
          failureText.commands,
        );
    process.stderr.write(`${lines.join("\n")}\n`);
  }
}
