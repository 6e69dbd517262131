/**
 * How much each frame of the reference differs from the one before, by ffmpeg's filter scdet beside the scores: the
 * scorer's decoder delivers the frames, and what the filter adds to the CPU of a score cannot be measured (bench/shots.ts).
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
 * The filters that end a branch of frames. The first takes any format, so that what scdet does not know is converted for
 * it alone.
 */
export const CHANGE_CHAIN = `scale,scdet,metadata=mode=print:key=${KEY}:file=${LOG},nullsink`;

/** Returns the changes that the filter wrote, 0 for the first frame; undefined if it did not write `frames` of them. */
export async function readChanges({ directory }: Sandbox, frames: number): Promise<Float64Array | undefined> {
  const changes = new Float64Array(frames);
  let count = 0;
  await splitLines(createReadStream(join(directory, LOG)), (line) => {
    const change = LINE.exec(line)?.[1];
    if (change !== undefined) changes[count++] = Number(change);
  });
  return count === frames ? changes : undefined;
}
