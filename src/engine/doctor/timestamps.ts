/** Pairs the frames of two videos by their timestamps, where these have gaps. */
import type { Run } from "../contract/alignment.ts";
import type { Side } from "../contract/request.ts";
import type { Track } from "../media/track.ts";
import { startTogether, type Timed, timeline } from "../planning/missing.ts";

/** Most relative difference of two durations of a frame that are the same, because of rounded timestamps. */
const SAME = 0.01;

/**
 * Returns the runs of frames with the same times; undefined if no side has gaps, if the timestamps cannot be compared,
 * or if the gaps do not explain the difference of the frame counts.
 */
export function runsByTimestamps({
  reference,
  distorted,
}: Readonly<Record<Side, Track>>): readonly Run[] | undefined {
  const [one, other] = [timeline(reference), timeline(distorted)];
  if (!one || !other || one.lost + other.lost === 0) return undefined;
  const timed = { reference: [reference, one], distorted: [distorted, other] } as const;
  const isOneRate = Math.abs(one.frame / other.frame - 1) < SAME;
  const isExplained = reference.frames + one.lost === distorted.frames + other.lost;
  if (!startTogether(timed.reference, timed.distorted) || !isOneRate || !isExplained) return undefined;
  return runsOf(placesOf(timed.reference), placesOf(timed.distorted));
}

/** The place of each frame in a video without gaps. */
function placesOf([{ frames }, { gaps }]: Timed): number[] {
  const lost = new Map(gaps.map((gap) => [gap.after, gap.lost]));
  let place = 0;
  return Array.from({ length: frames }, (_, frame) => {
    const own = place;
    place += 1 + (lost.get(frame) ?? 0);
    return own;
  });
}

/** The runs of frames that have the same places. Places ascend. */
function runsOf(reference: readonly number[], distorted: readonly number[]): Run[] {
  const frames = new Map(distorted.map((place, frame) => [place, frame]));
  const runs: { reference: number; distorted: number; count: number }[] = [];
  for (const [frame, place] of reference.entries()) {
    const partner = frames.get(place);
    if (partner === undefined) continue;
    const last = runs.at(-1);
    const isNext = last && last.reference + last.count === frame && last.distorted + last.count === partner;
    if (isNext) last.count++;
    else runs.push({ reference: frame, distorted: partner, count: 1 });
  }
  return runs;
}
