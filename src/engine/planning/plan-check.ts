/**
 * Checks that the pairing of a plan is what planning derives from its two tracks. The plan comes from a tenant's
 * machine, and the cost of its tasks, which the tenant is charged for, is computed from it.
 */
import { invalid } from "../../platform/failure.ts";
import { SIDES } from "../contract/request.ts";
import type { Pairing } from "./pairing.ts";
import { countsOf } from "./pairing.ts";
import type { StoredPlan } from "./plan-json.ts";
import { comparedSize, orient } from "./shapes.ts";

type Pair = Pick<StoredPlan, "tracks" | "pairing">;

/** Throws INVALID_REQUEST for a contradiction; ORIENTATION_MISMATCH for tracks that can never be compared. */
export function refuseContradiction({ tracks, pairing }: Pair): void {
  const { sides } = orient(tracks.reference, tracks.distorted);
  const [width, height] = comparedSize(tracks.reference, sides);
  const counts = countsOf(tracks, pairing.thin);
  const right = {
    size: `${width}x${height}`,
    turn: sides.join(" and ") || "no side",
    frames: countsText(counts),
    frameCount: Math.min(counts.reference, counts.distorted),
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

function countsText({ reference, distorted }: Pairing["counts"]): string {
  return `${reference} and ${distorted}`;
}

/** Returns the pixels that are read for a number of frame pairs, of the side with more pixels. */
export function pixelsRead({ tracks, pairing }: Pair, pairs: number): number {
  const sides = SIDES.map((side) => {
    const { width, height, frames } = tracks[side];
    // Frames that thinning drops are decoded too.
    const every = pairing.thin?.side === side ? pairing.thin.every : 1;
    return width * height * Math.min(pairs * every, frames);
  });
  return Math.max(...sides);
}
