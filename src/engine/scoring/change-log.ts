/**
 * Measures how much each frame of the reference differs from the one before, with ffmpeg's filter scdet in the scoring
 * process: the scorer's decoder delivers the frames, and the filter adds no measurable CPU time to a score
 * (bench/shots.ts).
 */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { splitLines } from "../sandbox/lines.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

const LOG = "changes.txt";
/** The mean absolute difference of luma, in percent of the range of samples. */
const KEY = "lavfi.scd.mafd";
const LINE = new RegExp(`^${KEY.replaceAll(".", "\\.")}=(\\d+\\.\\d+)$`);

/**
 * The filters that end a branch of frames. The first one takes any format, so that formats unknown to scdet are
 * converted only for it.
 */
export const CHANGE_CHAIN = `scale,scdet,metadata=mode=print:key=${KEY}:file=${LOG},nullsink`;

/** Returns the changes that the filter wrote, 0 for the first frame; undefined if it did not write `frames` changes. */
export async function readChanges({ directory }: Sandbox, frames: number): Promise<Float64Array | undefined> {
  const changes = new Float64Array(frames);
  let count = 0;
  await splitLines(createReadStream(join(directory, LOG)), (line) => {
    const change = LINE.exec(line)?.[1];
    if (change !== undefined) changes[count++] = Number(change);
  });
  return count === frames ? changes : undefined;
}
