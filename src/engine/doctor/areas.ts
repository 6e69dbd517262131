/** Which areas of the picture both videos show, exactly. */
import { CONFIDENCES, type Confidence, type Finding } from "../contract/finding.ts";
import { perSide, SIDES, type Side } from "../contract/request.ts";
import type { Compared } from "../decoding/compared.ts";
import { decodeRaw } from "../decoding/decode-raw.ts";
import { bothSides } from "../media/all-or-abort.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import { comparedSize } from "../planning/shapes.ts";
import type { Relation } from "./relate.ts";
import type { FramePair } from "./samples/fields.ts";
import { areaFindings, type Sizes } from "./space/findings.ts";
import { type Plane, plane } from "./space/plane.ts";
import { refineArea } from "./space/refine.ts";

/** Frames of full size by which borders are measured. */
const FULL_SIZE = 4;
/** Samples of 8 bits in the range in which they are stored. */
const LUMA_ONLY = "scale=in_range=tv:out_range=tv:sws_dither=none,format=gray";

export interface DecodedPair extends Compared {
  readonly context: DecodeContext;
  /** The frame that the first picture shows, counted from the first of the segment's context. */
  readonly firstPicture: number;
}

/** Small pictures show roughly which areas both have. Only if those differ, frames of full size are decoded. */
export async function exactAreas(pair: DecodedPair, relation: Relation): Promise<Finding[]> {
  const { layout, view, frames } = relation;
  // Requests can't turn a side by a quarter, so there is no area to advise.
  if (layout === undefined || view.turn.transposed) return [];
  const { tracks, pairing } = pair;
  const sizes = perSide((side) => {
    const [width, height] = comparedSize(tracks[side], pairing.turn);
    return pairing.crop[side] ?? { width, height };
  });
  const shown = { sizes, turn: view.turn };
  const rough = areaFindings(layout, shown);
  if (rough.length === 0) return [];
  const planes = await fullSize(pair, sizes, frames);
  const exact = refineArea(planes.reference, planes.distorted, view);
  // Areas that frames of full size do not confirm are never certain.
  if (exact === undefined) return rough.map((finding) => atMost("likely", finding));
  const isWhole = SIDES.every(
    (side) => sizes[side].width - exact[side].width <= 1 && sizes[side].height - exact[side].height <= 1,
  );
  if (isWhole) return [];
  const findings = areaFindings(layout, shown, exact);
  const confidence = confidenceIn(findings, exact.exact, relation);
  return findings.map((finding) => atMost(confidence, finding));
}

/** Part of the whole frames' mismatch that areas may leave to explain the pair. */
const CLEARLY = 0.25;

/**
 * Areas are certain if their borders are known to the sample, or if nothing but them explains the pair, though low rates
 * blur the borders. If frames are out of step, a crop must be both: a movement looks like a zoom.
 */
function confidenceIn(
  findings: readonly Finding[],
  isExact: boolean,
  { layout, time }: Relation,
): Confidence {
  const explains = layout !== undefined && 1 - layout.match <= CLEARLY * (1 - layout.whole);
  const isInStep = time.runs.every((run) => run.reference === run.distorted);
  const canBeMovement = !isInStep && findings.some(({ code }) => code === "CROPPED");
  if (!canBeMovement) return isExact || explains ? "certain" : "likely";
  if (!explains) return "possible";
  return isExact ? "certain" : "likely";
}

function atMost(confidence: Confidence, finding: Finding): Finding {
  const isLess = CONFIDENCES.indexOf(finding.confidence) < CONFIDENCES.indexOf(confidence);
  return isLess ? { ...finding, confidence } : finding;
}

/** Takes the luma of a few frames at their full size. */
function fullSize(
  { context, firstPicture, ...compared }: DecodedPair,
  sizes: Sizes,
  pairs: readonly FramePair[],
): Promise<Readonly<Record<Side, readonly Plane[]>>> {
  const step = Math.max(1, Math.floor(pairs.length / FULL_SIZE));
  const chosen = pairs.filter((_, index) => index % step === 0).slice(0, FULL_SIZE);
  return bothSides(context.signal, async (side, signal) => {
    const { width, height } = sizes[side];
    const size = width * height;
    const frames = chosen.map((pair) => firstPicture + pair[side]);
    const wanted = { frames, filters: LUMA_ONLY, frameBytes: size };
    const bytes = await decodeRaw(compared, side, wanted, { ...context, signal });
    return Array.from({ length: Math.floor(bytes.length / size) }, (_, index) =>
      plane(bytes.subarray(index * size, (index + 1) * size), width, height),
    );
  });
}
