/** The bundled ffmpeg, slowed down, so that its runs can be observed even if this process is frozen for a while. */
import { chmod, writeFile } from "node:fs/promises";
import type { MediaDirectory } from "../media/directory.ts";
import { FFMPEG } from "../media/ffmpeg.ts";

/** Seconds of video per second, after the first half second, which is not slowed down. */
const PACE = 0.1;

/** Path of the executable. */
export async function slowScorer(directory: MediaDirectory): Promise<string> {
  const path = directory.file("slow-scorer");
  // Only scoring runs write log.csv.
  const script = `#!/bin/sh
case "$*" in *log.csv*) exec '${FFMPEG}' -readrate ${PACE} "$@" ;; esac
exec '${FFMPEG}' "$@"
`;
  await writeFile(path, script);
  await chmod(path, 0o755);
  return path;
}
