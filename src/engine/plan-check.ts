/**
 * Whether a plan says of its pair what planning makes of the two tracks. It comes from a machine of a tenant, and what
 * its work costs the tenant beside others is counted by it.
 */
import { invalid } from "../platform/failure.ts";
import type { Pairing } from "./compare.ts";
import { countsOf } from "./frame-counts.ts";
import type { PlanFacts } from "./plan-json.ts";
import { SIDES } from "./request.ts";
import { comparedSize, orient } from "./shapes.ts";

type Pair = Pick<PlanFacts, "tracks" | "pairing">;

/** Throws INVALID_REQUEST; ORIENTATION_MISMATCH for tracks that are never compared. */
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
  const said = {
    size: `${pairing.width}x${pairing.height}`,
    turn: pairing.turn.join(" and ") || "no side",
    frames: countsText(pairing.counts),
    frameCount: pairing.frameCount,
  };
  for (const what of Object.keys(right) as (keyof typeof right)[]) {
    if (said[what] === right[what]) continue;
    throw invalid(
      `The plan contradicts itself: its pairing has ${said[what]} as ${what}, and its tracks make it ${right[what]}.`,
    );
  }
}

function countsText({ reference, distorted }: Pairing["counts"]): string {
  return `${reference} and ${distorted}`;
}

/** Pixels that are read for so many pairs of frames, of the side that has more of them. */
export function pixelsRead({ tracks, pairing }: Pair, pairs: number): number {
  const sides = SIDES.map((side) => {
    const { width, height, frames } = tracks[side];
    // Frames that are left out are decoded all the same.
    const every = pairing.thin?.side === side ? pairing.thin.every : 1;
    return width * height * Math.min(pairs * every, frames);
  });
  return Math.max(...sides);
}
