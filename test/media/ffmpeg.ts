/** The bundled ffmpeg for tests: makes media, and is the oracle's bare scorer. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { bundledFfmpeg } from "../../src/engine/programs/candidates.ts";

export const FFMPEG = (await bundledFfmpeg()) ?? "no ffmpeg: run bin/svc scorer install";

const run = promisify(execFile);

/**
 * Runs the bundled ffmpeg and returns its stdout; throws with its messages if it fails. Its libvmaf crashes rarely, so
 * a run that ended with a memory fault is retried once, as the engine does.
 */
export async function ffmpeg(args: readonly string[], options: FfmpegOptions = {}): Promise<string> {
  try {
    return await runOnce(args, options);
  } catch (thrown) {
    if (!CRASHES.has(String((thrown as { readonly signal?: unknown }).signal))) throw thrown;
    return runOnce(args, options);
  }
}

interface FfmpegOptions {
  readonly cwd?: string | undefined;
  /** Another ffmpeg than the bundled one. */
  readonly program?: string | undefined;
}

const CRASHES = new Set(["SIGSEGV", "SIGABRT", "SIGBUS"]);

async function runOnce(args: readonly string[], { cwd, program = FFMPEG }: FfmpegOptions): Promise<string> {
  const { stdout } = await run(program, ["-v", "error", "-nostdin", "-y", ...args], {
    cwd,
    timeout: 300_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
