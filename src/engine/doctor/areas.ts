/** Which areas of the picture both videos show, exactly. */
import type { Finding } from "../contract/finding.ts";
import { perSide, SIDES, type Side } from "../contract/request.ts";
import type { Sources } from "../files/source.ts";
import { bothSides } from "../media/all-or-abort.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import type { Track } from "../media/track.ts";
import { comparedSize } from "../planning/shapes.ts";
import type { Relation } from "./relate.ts";
import type { FramePair } from "./samples/fields.ts";
import { areaFindings } from "./space/findings.ts";
import type { Plane } from "./space/plane.ts";
import { refineArea } from "./space/refine.ts";
import { takeFrames } from "./take-frames.ts";

/** Frames of full size by which borders are measured. */
const FULL_SIZE = 4;

export interface DecodedPair {
  readonly sources: Sources;
  readonly tracks: Readonly<Record<Side, Track>>;
  /** Sides that are rotated for display. */
  readonly turned: readonly Side[];
  readonly context: DecodeContext;
}

/** Small pictures show roughly which areas both have. Only if those differ, frames of full size are decoded. */
export async function exactAreas(pair: DecodedPair, { layout, view, frames }: Relation): Promise<Finding[]> {
  if (layout === undefined) return [];
  const sizes = perSide((side) => {
    const [width, height] = comparedSize(pair.tracks[side], pair.turned);
    return { width, height };
  });
  const rough = areaFindings(layout, sizes);
  if (rough.length === 0) return [];
  const planes = await fullSize(pair, frames);
  const exact = refineArea(planes.reference, planes.distorted, view);
  if (exact === undefined) return rough;
  const isWhole = SIDES.every(
    (side) => sizes[side].width - exact[side].width <= 1 && sizes[side].height - exact[side].height <= 1,
  );
  return isWhole ? [] : areaFindings(layout, sizes, exact);
}

function fullSize(
  { sources, tracks, turned, context }: DecodedPair,
  frames: readonly FramePair[],
): Promise<Readonly<Record<Side, readonly Plane[]>>> {
  const step = Math.max(1, Math.floor(frames.length / FULL_SIZE));
  const chosen = frames.filter((_, index) => index % step === 0).slice(0, FULL_SIZE);
  return bothSides(context.signal, (side, signal) => {
    const wanted = { numbers: chosen.map((pair) => pair[side]), turned: turned.includes(side) };
    return takeFrames(sources[side], tracks[side], wanted, { ...context, signal });
  });
}
