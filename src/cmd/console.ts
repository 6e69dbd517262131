/** Opens the console: reads what was built, or has it built first, while everything else is served already. */
import { spawn } from "node:child_process";
import { Failure } from "../platform/failure.ts";
import { Background, type Phase } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import { version } from "../platform/version.ts";
import { type ConsoleConfig, type ConsoleFiles, type ConsolePages, readConsole } from "../rest/console.ts";
import { builtConsole, CONSOLE_BUILD, consoleSources } from "./console-sources.ts";

/** Milliseconds; it takes two seconds on two cores. */
const BUILD_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 1_000;
/** Characters of what the build says of its fault that are logged. */
const MOST_SAID = 4_000;

export interface OpenConsole {
  readonly pages: ConsolePages;
  readonly start: () => void;
  readonly phases: readonly Phase[];
}

export function openConsole(authentication: ConsoleConfig["authentication"], log: Log): OpenConsole {
  let files: ConsoleFiles | undefined;
  let fault: Failure | undefined;
  const opening = new Background(async (signal, isStarted) => {
    isStarted();
    try {
      files = await readConsole(await built(signal, log));
    } catch (thrown) {
      fault = Failure.from(thrown);
      if (!signal.aborted) log.error({ err: thrown }, "there is no console: it could not be built or read");
    }
  });
  const current = () => {
    if (fault !== undefined) throw fault;
    return files;
  };
  return {
    pages: { config: { version: version(), authentication }, files: current },
    start: () => opening.start(),
    phases: [{ name: "stop building the console", limitMs: STOP_LIMIT_MS, run: () => opening.stop() }],
  };
}

/** The folder of the console, built if it is not there. */
async function built(signal: AbortSignal, log: Log): Promise<string> {
  const sources = await consoleSources();
  const ready = await builtConsole(sources);
  if (ready !== undefined) return ready;
  log.info({}, "building the console");
  await build(signal);
  const made = await builtConsole(sources);
  if (made === undefined) throw new Error("the build left nothing behind: its sources changed meanwhile");
  return made;
}

/** In a process of its own, which ends with the signal. */
async function build(signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(process.execPath, [CONSOLE_BUILD], {
    stdio: ["ignore", "ignore", "pipe"],
    signal: AbortSignal.any([signal, AbortSignal.timeout(BUILD_LIMIT_MS)]),
    killSignal: "SIGKILL",
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-MOST_SAID)));
  child.on("error", reject);
  child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`the build failed: ${said}`))));
  await promise;
}
