/** Finds the scoring executable, determines its kind, and verifies that it can score. */
import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { promisify } from "node:util";
import { DEFAULT_MODEL } from "../../jobs/default-models.ts";
import { Failure } from "../../platform/failure.ts";
import { type Candidate, decoderOf, findCandidates, givenCandidate } from "../programs/candidates.ts";
import { INSTALL_COMMAND, missingScorer } from "../programs/missing.ts";
import type { ProgramPlaces } from "../programs/places.ts";
import { networkIsolation } from "../sandbox/network.ts";
import type { Scorer } from "./scorer.ts";
import { FfmpegScorer } from "./scorer-ffmpeg.ts";
import { VmafScorer } from "./scorer-vmaf.ts";
import { Trial } from "./trial.ts";
import { trustedScorer } from "./trusted.ts";

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
 * Finds the scorer: the given one, which must be able to score, else the first of the candidates that can score
 * (`findCandidates`). With `trustInstalled`, the program that svc installed is not tried. Throws SCORER_FAILED if a
 * candidate was killed or did not answer: it may be able to score, and the next one would give other digits.
 */
export async function findTools(
  given: string | undefined,
  places: ProgramPlaces,
  trustInstalled: boolean,
): Promise<Tools> {
  const [isolation, candidates] = await Promise.all([networkIsolation(), findCandidates(places)]);
  const decoder = decoderOf(candidates);
  if (given !== undefined) {
    const { path } = await givenCandidate(given, places);
    return { ...(await prove(path, decoder, isolation)), isolation };
  }
  const trusted = trustInstalled ? await trustedScorer(candidates[0], isolation) : undefined;
  if (trusted !== undefined) return { scorer: trusted, ffmpeg: trusted.path, isolation };
  const reasons: string[] = [];
  for (const { path } of candidates) {
    try {
      return { ...(await prove(path, decoder, isolation)), isolation };
    } catch (error) {
      reasons.push(reasonIn(error).message);
    }
  }
  throw await nothingScores(places, reasons);
}

/** Returns the reason why a program cannot score. Throws failures that are not caused by the program. */
function reasonIn(error: unknown): Failure {
  const failure = Failure.from(error);
  // Every other program would fail for the same reason.
  if (failure.code === "TEMP_DIR_UNUSABLE" || failure.code === "SCORER_FAILED") throw failure;
  return failure;
}

async function nothingScores(places: ProgramPlaces, reasons: readonly string[]): Promise<Failure> {
  const missing = await missingScorer(places);
  const parts = [
    "No program that can score was found.",
    ...(missing === undefined ? [] : [`Install svc's own with ${INSTALL_COMMAND}.`]),
    `Set ${missing === undefined ? "one" : "another"} with --vmaf-binary: an ffmpeg with libvmaf, or Netflix's vmaf.`,
    ...(reasons.length > 0 ? [`Tried: ${reasons.join("; ")}`] : []),
  ];
  return new Failure("SCORER_NOT_FOUND", parts.join(" "));
}

/** A candidate with its scorer and decoder, or the reason why it cannot score. */
export interface Examined {
  readonly candidate: Candidate;
  readonly outcome: Tools | Failure;
}

/** Tries every candidate, and the given program first if there is one. Throws TEMP_DIR_UNUSABLE. */
export async function examineAll(
  given: string | undefined,
  places: ProgramPlaces,
): Promise<readonly Examined[]> {
  const found = await findCandidates(places);
  const all = given === undefined ? found : [await givenCandidate(given, places), ...found];
  return examine(all, decoderOf(found));
}

async function examine(
  candidates: readonly Candidate[],
  decoder: string | undefined,
): Promise<readonly Examined[]> {
  const isolation = await networkIsolation();
  const examined: Examined[] = [];
  for (const candidate of candidates) {
    const outcome = await prove(candidate.path, decoder, isolation).then(
      (tools) => ({ ...tools, isolation }),
      (error: unknown) => Failure.from(error),
    );
    if (outcome instanceof Failure && outcome.code === "TEMP_DIR_UNUSABLE") throw outcome;
    examined.push({ candidate, outcome });
  }
  return examined;
}

/** Finds the programs that can score besides one that was found before. Throws TEMP_DIR_UNUSABLE. */
export async function findMoreTools(
  { scorer: { path } }: Tools,
  places: ProgramPlaces,
): Promise<readonly Tools[]> {
  const found = await findCandidates(places);
  const examined = await examine(
    found.filter((candidate) => candidate.path !== path),
    decoderOf(found),
  );
  return examined.flatMap(({ outcome }) => (outcome instanceof Failure ? [] : [outcome]));
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

/**
 * Returns what a program prints for a flag on both streams; the exit code is ignored. Throws SCORER_FAILED if it was
 * killed, also for taking too long.
 */
async function versionText(path: string, args: readonly string[]): Promise<string> {
  const output = await run(path, [...args], {
    timeout: VERSION_TIMEOUT_MS,
    killSignal: "SIGKILL",
    env: {},
  }).catch((error: { stdout?: string; stderr?: string; signal?: string }) => {
    if (error.signal === "SIGKILL")
      throw new Failure("SCORER_FAILED", `${path} ${args.join(" ")} was killed.`);
    return error;
  });
  return `${output.stdout ?? ""}${output.stderr ?? ""}`;
}
