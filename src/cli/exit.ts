/** Exit codes and error messages of the commands for people. */

import { errorCode } from "../platform/errors.ts";
import { Failure, type FailureCode, type FailureKind, type Found } from "../platform/failure.ts";
import { systemReason } from "../platform/system-reason.ts";
import { inOptions } from "./api-names.ts";
import type { PairCommands } from "./findings/refused.ts";
import { remedyLines } from "./remedy.ts";
import { printableJson, printableLines } from "./terminal/escape.ts";
import { paint, type Terminal } from "./terminal/terminal.ts";
import { wrap } from "./terminal/wrap.ts";

export const EXIT = {
  scored: 0,
  underGate: 1,
  /** The input or the command line is wrong. */
  input: 2,
  /** The scorer, or svc itself, failed. */
  scorer: 3,
  /** Ctrl-C: 128 + SIGINT, the shell convention. */
  interrupted: 130,
} as const;

const EXIT_OF_KIND = {
  invalid: EXIT.input,
  unauthenticated: EXIT.input,
  forbidden: EXIT.input,
  "too-large": EXIT.input,
  "not-found": EXIT.input,
  conflict: EXIT.input,
  media: EXIT.input,
  limit: EXIT.scorer,
  cancelled: EXIT.interrupted,
  deadline: EXIT.scorer,
  unavailable: EXIT.scorer,
  internal: EXIT.scorer,
} as const satisfies Record<FailureKind, number>;

/** Advice on failures by code, in terms of a command's options. */
export type Advice = Readonly<Record<string, string>>;

/** Matches a message that names an option: it already says what to do. */
const NAMES_OPTION = /(?:^|\s)--[a-z]/;

export function exitCodeOf(failure: Failure): number {
  return EXIT_OF_KIND[failure.kind];
}

/** Codes of pairs whose videos differ in a way that a diagnosis can explain. */
const DIAGNOSABLE: ReadonlySet<FailureCode> = new Set([
  "FRAME_COUNT_MISMATCH",
  "FRAME_RATE_MISMATCH",
  "FRAME_SIZE_MISMATCH",
] as const);

/**
 * Returns the lines of an error message: what happened, to which thing, and what to do. `commands`: the commands to
 * suggest, if the failed command scores a pair itself.
 */
export async function failureLines(
  failure: Failure,
  terminal: Terminal,
  advice: Advice,
  commands?: PairCommands,
): Promise<string[]> {
  const columns = terminal.columns - 7;
  const found = failure.found ?? {};
  const { mismatch, lines: refused } = await refusal(found, { ...terminal, columns }, commands);
  const message = mismatch ?? messageOf(failure);
  const lines = printableLines(`${message} [${failure.code}]`).flatMap((line) => wrap(line, columns));
  const repairs = refused.length > 0 ? refused : remedyLines(found, columns);
  const advised = advice[failure.code];
  const hints = [
    ...(advised === undefined || NAMES_OPTION.test(message) ? [] : [advised]),
    ...diagnosisHint(failure, commands),
  ].flatMap((text) => wrap(text, columns));
  return [...lines, ...repairs, ...hints].map((line, index) =>
    index === 0 ? `${paint(terminal, "red", "error:")} ${line}` : `       ${line}`.trimEnd(),
  );
}

/** Returns the lines about a refused pair. Loads the messages of the API only for failures with findings. */
async function refusal(
  found: Found,
  terminal: Terminal,
  commands: PairCommands | undefined,
): Promise<{ readonly mismatch: string | undefined; readonly lines: string[] }> {
  if (found["findings"] === undefined) return { mismatch: undefined, lines: [] };
  const { MISMATCH, refusedLines } = await import("./findings/refused.ts");
  const lines = refusedLines(found, terminal, commands);
  return { mismatch: lines.length > 0 ? MISMATCH : undefined, lines };
}

function messageOf({ code, cause, message }: Failure): string {
  return code === "INTERNAL" && cause !== undefined ? unexpected(cause) : inOptions(message);
}

function diagnosisHint({ code }: Failure, commands: PairCommands | undefined): string[] {
  if (commands === undefined || !DIAGNOSABLE.has(code)) return [];
  const fix = commands.hasFix ? "" : "; --fix repairs what is certain";
  return [`${commands.doctor} says how they relate${fix}.`];
}

/**
 * Returns a failure as JSON for standard output with --json: the REST API's problem fields that apply here. Without
 * `indent` it is one line.
 */
export function failureJson(failure: Failure, title: string, indent?: number): string {
  const problem = {
    type: "about:blank",
    title,
    detail: inOptions(failure.message),
    code: failure.code,
    ...(failure.found ? { found: failure.found } : {}),
  };
  return `${printableJson(problem, indent)}\n`;
}

/** Describes an internal error in full, because there is no log. */
function unexpected(cause: unknown): string {
  const known = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return (
    "svc failed unexpectedly. Please report it (see the project's CONTRIBUTING.md) with the command you ran, " +
    `the output of svc --version, and this:\n${known}`
  );
}

/** Chunks of text, generated on demand. */
export type TextChunks = Iterable<string> | AsyncIterable<string>;

/**
 * Writes the chunks as fast as they are read. If the reader went away (`svc score … | head`), it stops generating
 * chunks without an error. Throws INTERNAL for other write errors, such as a full disk.
 */
export async function writeAll(stream: NodeJS.WriteStream, chunks: TextChunks): Promise<void> {
  for await (const chunk of chunks) {
    try {
      await write(stream, chunk);
    } catch (error) {
      if (isBrokenPipe(error)) return;
      const why = writeFault(error);
      throw new Failure("INTERNAL", `The result could not be written to standard output: ${why}.`);
    }
  }
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Returns why a write failed, and what to do if that is known. */
export function writeFault(error: unknown): string {
  const code = errorCode(error);
  if (code === "ENOSPC") return "the disk is full. Free some space, or write to another disk";
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  if (code === "EROFS") return "the file system is read-only";
  return systemReason(error);
}

function isBrokenPipe(error: unknown): boolean {
  const code = errorCode(error);
  return code === "EPIPE" || code === "ERR_STREAM_DESTROYED";
}
