/** The bundled ffmpeg at a slow pace: what it scores can be met at work, however long this process stands still. */
import { chmod, writeFile } from "node:fs/promises";
import type { MediaDirectory } from "../media/directory.ts";
import { FFMPEG } from "../media/ffmpeg.ts";

/** Seconds of video a second, after the first half second, which comes at once. */
const PACE = 0.1;

/** Path of the executable. */
export async function slowScorer(directory: MediaDirectory): Promise<string> {
  const path = directory.file("slow-scorer");
  // Only what scores writes log.csv.
  const script = `#!/bin/sh
case "$*" in *log.csv*) exec '${FFMPEG}' -readrate ${PACE} "$@" ;; esac
exec '${FFMPEG}' "$@"
`;
  await writeFile(path, script);
  await chmod(path, 0o755);
  return path;
}
