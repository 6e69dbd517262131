/** Per-frame scores as CSV (RFC 4180, lines end with LF). */
import { randomBytes } from "node:crypto";
import { access, constants, type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { csvHeader, csvLine } from "../../messages/csv.ts";
import { Failure } from "../../platform/failure.ts";
import { type TextChunks, writeFault } from "../exit.ts";
import { quoteName } from "../terminal/escape.ts";
import type { Series } from "./view.ts";

const ROWS_PER_CHUNK = 1000;

/**
 * Returns the text in chunks: the header frame,<metrics>,time, then a line per frame. A value that isn't finite is an
 * empty cell. `rate`: frames per second of the scored frames; undefined if no file states one.
 */
export function* csvText(series: Series, rate: number | undefined): Generator<string> {
  let chunk = csvHeader(series.metrics);
  for (let row = 0; row < series.length; row++) {
    chunk += csvLine(series.frame(row), series.metrics, (metric) => series.value(metric, row), rate);
    if ((row + 1) % ROWS_PER_CHUNK === 0) {
      yield chunk;
      chunk = "";
    }
  }
  yield chunk;
}

/** The destination of a CSV, checked before scoring. */
export interface CsvTarget {
  /** As given, for messages. */
  readonly name: string;
  /** The real path: a symbolic link is kept and its target replaced. */
  readonly path: string;
  /** Whether to replace a file as a whole; a device or pipe is written to directly. */
  readonly replace: boolean;
}

/** Checks that the file can be written and isn't one of the inputs. Throws INVALID_REQUEST. */
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
    throw refuse(name, `the folder ${quoteName(dirname(path))} does not exist. Create it`);
  const replace = there === undefined || there.isFile();
  await access(replace ? dirname(path) : path, constants.W_OK).catch(() => {
    throw refuse(name, "permission denied. Name another file");
  });
  return { name, path, replace };
}

/**
 * Writes the CSV. A file is replaced atomically: readers see the old one or the whole new one. Leaves nothing behind on
 * failure.
 */
export async function writeCsv(target: CsvTarget, text: TextChunks, signal: AbortSignal): Promise<void> {
  try {
    if (!target.replace) {
      await using file = await open(target.path, "w");
      await writeChunks(file, text, signal);
      return;
    }
    await replaceFile(target.path, text, signal);
  } catch (error) {
    if (signal.aborted) throw new Failure("SCORE_CANCELLED", "Stopped while writing the CSV.");
    if (error instanceof Failure) throw error;
    throw new Failure(
      "INTERNAL",
      `The per-frame scores could not be written to ${quoteName(target.name)}: ${writeFault(error)}.`,
    );
  }
}

async function replaceFile(path: string, text: TextChunks, signal: AbortSignal): Promise<void> {
  const temporary = join(
    dirname(path),
    `.${basename(path).slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`,
  );
  try {
    await using file = await open(temporary, "wx");
    await writeChunks(file, text, signal);
    await file.sync();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeChunks(file: FileHandle, text: TextChunks, signal: AbortSignal): Promise<void> {
  for await (const chunk of text) {
    signal.throwIfAborted();
    await file.writeFile(chunk);
  }
}

function refuse(name: string, why: string): Failure {
  return new Failure(
    "INVALID_REQUEST",
    `The per-frame scores cannot be written to ${quoteName(name)}: ${why}.`,
  );
}
