/** Files that commands write. A file is replaced as a whole, or not at all. */
import { randomBytes } from "node:crypto";
import { access, constants, type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Failure } from "../../platform/failure.ts";
import { writeFault } from "../exit.ts";
import { quoteName } from "../terminal/escape.ts";

/** Chunks of text or bytes, generated on demand. */
type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** Names a file and its content in messages. */
interface Named {
  /** The file as given. */
  readonly name: string;
  /** A plural, such as "per-frame scores". */
  readonly content: string;
}

/** A file that will be written, checked before the work whose result it gets. */
export interface OutputFile extends Named {
  /** The real path: a symbolic link is kept and its target replaced. */
  readonly path: string;
  /** Whether to replace a file as a whole; a device or pipe is written to directly. */
  readonly replace: boolean;
}

/** Checks that the file can be written and isn't one of the inputs. Throws INVALID_REQUEST. */
export async function outputFile(named: Named, inputs: readonly string[]): Promise<OutputFile> {
  const { name } = named;
  const path = await realpath(resolve(name)).catch(() => resolve(name));
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory()) {
    throw refuse(named, "it is a directory. Name a file in it");
  }
  for (const input of inputs) {
    const real = await realpath(resolve(input)).catch(() => undefined);
    if (real === path) throw refuse(named, "it is one of the two videos. Name another file");
  }
  const folder = await stat(dirname(path)).catch(() => undefined);
  if (!folder?.isDirectory())
    throw refuse(named, `the folder ${quoteName(dirname(path))} does not exist. Create it`);
  const replace = existing === undefined || existing.isFile();
  await access(replace ? dirname(path) : path, constants.W_OK).catch(() => {
    throw refuse(named, "permission denied. Name another file");
  });
  return { ...named, path, replace };
}

/**
 * Writes the content. A file is replaced atomically: readers see the old one or the whole new one. Leaves nothing behind on
 * failure.
 */
export async function writeOutput(target: OutputFile, content: Chunks, signal: AbortSignal): Promise<void> {
  try {
    if (!target.replace) {
      await using file = await open(target.path, "w");
      await writeChunks(file, content, signal);
      return;
    }
    await replaceFile(target.path, content, signal);
  } catch (error) {
    if (signal.aborted) throw new Failure("SCORE_CANCELLED", `Stopped while writing the ${target.content}.`);
    if (error instanceof Failure) throw error;
    throw new Failure(
      "INTERNAL",
      `The ${target.content} could not be written to ${quoteName(target.name)}: ${writeFault(error)}.`,
    );
  }
}

async function replaceFile(path: string, content: Chunks, signal: AbortSignal): Promise<void> {
  const temporary = join(
    dirname(path),
    `.${basename(path).slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`,
  );
  try {
    await using file = await open(temporary, "wx");
    await writeChunks(file, content, signal);
    await file.sync();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeChunks(file: FileHandle, content: Chunks, signal: AbortSignal): Promise<void> {
  for await (const chunk of content) {
    signal.throwIfAborted();
    await file.writeFile(chunk);
  }
}

function refuse({ name, content }: Named, why: string): Failure {
  return new Failure("INVALID_REQUEST", `The ${content} cannot be written to ${quoteName(name)}: ${why}.`);
}
