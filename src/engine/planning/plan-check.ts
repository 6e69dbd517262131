/**
 * Checks that the pairing of a plan is what planning derives from its two tracks. The plan comes from a tenant's
 * machine, and the cost of its tasks, which the tenant is charged for, is computed from it.
 */
import { invalid } from "../../platform/failure.ts";
import type { Run } from "../contract/alignment.ts";
import { perSide, SIDES } from "../contract/request.ts";
import { countsOf, type Pairing, pairsIn, sourceFrames, stepOf } from "./pairing.ts";
import type { StoredPlan } from "./plan-json.ts";
import type { Segment } from "./segment.ts";
import { comparedSize, croppedTrack, orient } from "./shapes.ts";

type Pair = Pick<StoredPlan, "tracks" | "pairing">;

/** Throws INVALID_REQUEST for a contradiction; ORIENTATION_MISMATCH for tracks that can never be compared. */
export function refuseContradiction({ tracks, pairing }: Pair): void {
  const { sides } = orient(tracks.reference, tracks.distorted);
  const shown = perSide((side) => croppedTrack(tracks[side], sides, pairing.crop[side]));
  const [width, height] = comparedSize(shown.reference, sides);
  const counts = countsOf(tracks, pairing.thin);
  const { runs } = pairing;
  if (runs !== undefined) refuseRuns(runs, { tracks, pairing });
  const right = {
    size: `${width}x${height}`,
    turn: sides.join(" and ") || "no side",
    frames: countsText(counts),
    frameCount: runs === undefined ? Math.min(counts.reference, counts.distorted) : pairsIn(runs),
  };
  const stated = {
    size: `${pairing.width}x${pairing.height}`,
    turn: pairing.turn.join(" and ") || "no side",
    frames: countsText(pairing.counts),
    frameCount: pairing.frameCount,
  };
  for (const what of Object.keys(right) as (keyof typeof right)[]) {
    if (stated[what] === right[what]) continue;
    throw invalid(
      `The plan contradicts itself: its pairing states ${stated[what]} as ${what}, but its tracks give ${right[what]}.`,
    );
  }
}

/** Throws INVALID_REQUEST for runs that overlap, or that have frames which a track does not have. */
function refuseRuns(runs: readonly Run[], { tracks, pairing }: Pair): void {
  for (const side of SIDES) {
    const step = stepOf(pairing, side);
    let next = 0;
    for (const run of runs) {
      const last = run[side] + (run.count - 1) * step;
      if (run[side] < next || last >= tracks[side].frames)
        throw invalid(
          `The plan contradicts itself: its runs have frames ${run[side]} to ${last} of the ${side} video, which has ${tracks[side].frames}, after frame ${next - 1}.`,
        );
      next = last + 1;
    }
  }
}

function countsText({ reference, distorted }: Pairing["counts"]): string {
  return `${reference} and ${distorted}`;
}

/** Returns a function from a segment to the pixels that are read for its own frames, on the side with more pixels. */
export function pixelReader({ tracks, pairing }: Pair): (segment: Segment) => number {
  const sourceOf = sourceFrames(pairing);
  return ({ first, count, cut }) => {
    const sides = SIDES.map((side) => {
      const { width, height, frames } = tracks[side];
      // Frames that are left out, between runs or by thinning, are decoded too.
      const from = cut?.[side].range.start === undefined ? 0 : sourceOf(side, first);
      const end = sourceOf(side, first + count - 1) + stepOf(pairing, side);
      return width * height * (Math.min(end, frames) - from);
    });
    return Math.max(...sides);
  };
}
