/** Per-frame values as CSV (RFC 4180, lines end with LF). */
import { randomBytes } from "node:crypto";
import { access, constants, type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { csvHeader, csvLine } from "../messages/csv.ts";
import { Failure } from "../platform/failure.ts";
import { quoteName } from "./escape.ts";
import { type Pieces, writeFault } from "./exit.ts";
import type { Series } from "./view.ts";

const ROWS_PER_PIECE = 1000;

/**
 * The text in pieces: the header frame,<metrics>,time, then a line per frame; a value that is not finite is empty. `rate`:
 * frames per second of the scored frames; undefined: no file states one.
 */
export function* csvText(series: Series, rate: number | undefined): Generator<string> {
  let piece = csvHeader(series.metrics);
  for (let row = 0; row < series.length; row++) {
    piece += csvLine(series.frame(row), series.metrics, (metric) => series.value(metric, row), rate);
    if ((row + 1) % ROWS_PER_PIECE === 0) {
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

/** Where a CSV goes, checked before scoring. */
export interface CsvTarget {
  /** As given, for messages. */
  readonly name: string;
  /** Real path: a symbolic link stays, its target is replaced. */
  readonly path: string;
  /** A device or pipe is written to as it is; a file is replaced as a whole. */
  readonly replace: boolean;
}

/** Checks that the file can be written and is none of the inputs. */
export async function csvTarget(name: string, inputs: readonly string[]): Promise<CsvTarget> {
  const path = await realpath(resolve(name)).catch(() => resolve(name));
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory()) {
    throw refuse(name, "it is a directory. Name a file in it");
  }
  for (const input of inputs) {
    const real = await realpath(resolve(input)).catch(() => undefined);
    if (real === path) throw refuse(name, "it is one of the two videos. Name another file");
  }
  const folder = await stat(dirname(path)).catch(() => undefined);
  if (!folder?.isDirectory())
    throw refuse(name, `the folder ${quoteName(dirname(path))} does not exist. Make it`);
  const replace = there === undefined || there.isFile();
  await access(replace ? dirname(path) : path, constants.W_OK).catch(() => {
    throw refuse(name, "there is no permission to write there. Name another file");
  });
  return { name, path, replace };
}

/** Writes the CSV: a reader sees the file as it was, or whole. Nothing is left behind when that fails. */
export async function writeCsv(target: CsvTarget, text: Pieces, signal: AbortSignal): Promise<void> {
  try {
    if (!target.replace) {
      await using file = await open(target.path, "w");
      await writePieces(file, text, signal);
      return;
    }
    await replaceFile(target.path, text, signal);
  } catch (error) {
    if (signal.aborted) throw new Failure("SCORE_CANCELLED", "Stopped while the CSV was being written.");
    if (error instanceof Failure) throw error;
    throw new Failure(
      "INTERNAL",
      `The per-frame values could not be written to ${quoteName(target.name)}: ${writeFault(error)}.`,
    );
  }
}

async function replaceFile(path: string, text: Pieces, signal: AbortSignal): Promise<void> {
  const temporary = join(
    dirname(path),
    `.${basename(path).slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`,
  );
  try {
    await using file = await open(temporary, "wx");
    await writePieces(file, text, signal);
    await file.sync();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writePieces(file: FileHandle, text: Pieces, signal: AbortSignal): Promise<void> {
  for await (const piece of text) {
    signal.throwIfAborted();
    await file.writeFile(piece);
  }
}

function refuse(name: string, why: string): Failure {
  return new Failure(
    "INVALID_REQUEST",
    `The per-frame values cannot be written to ${quoteName(name)}: ${why}.`,
  );
}
