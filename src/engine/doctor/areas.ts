/**
 * Finds the exact areas of the picture that both videos show. Thresholds were tuned on the development half of the
 * corpus of bench/doctor.
 */
import { CONFIDENCES, type Confidence, type Finding } from "../contract/finding.ts";
import type { Area } from "../contract/picture.ts";
import { perSide, SIDES, type Side } from "../contract/request.ts";
import type { Compared } from "../decoding/compared.ts";
import { decodeRaw } from "../decoding/decode-raw.ts";
import { bothSides } from "../media/all-or-abort.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import { comparedSize } from "../planning/shapes.ts";
import type { Relation } from "./relate.ts";
import type { FramePair } from "./samples/block-means.ts";
import { fillingOf } from "./space/filling.ts";
import { areaFindings, type Sizes } from "./space/findings.ts";
import { crop, type Plane, plane } from "./space/plane.ts";
import { type ExactAreas, refineArea } from "./space/refine.ts";
import { isInPlace } from "./space/view.ts";
import { meanOf } from "./sums.ts";

/** Number of full-size frames on which borders are measured. */
const FULL_SIZE = 4;
/** Keeps only luma, with 8 bits and in the range in which it is stored. */
const LUMA_ONLY = "scale=in_range=tv:out_range=tv:sws_dither=none,format=gray";

export interface DecodedPair extends Compared {
  readonly context: DecodeContext;
  /** The number of the frame that the first picture shows, counted from the first frame of the segment's context. */
  readonly firstPicture: number;
}

/**
 * Returns findings of the areas that both sides show. Small pictures show the areas roughly; full-size frames are
 * decoded only if the areas differ, or may differ by too little for small pictures to show it.
 */
export async function exactAreas(pair: DecodedPair, relation: Relation): Promise<Finding[]> {
  const { layout, view, frames } = relation;
  // Requests cannot turn a side by 90°, so no area would be of use.
  if (layout === undefined || view.turn.transposed) return [];
  const { tracks, pairing } = pair;
  const sizes = perSide((side) => {
    const [width, height] = comparedSize(tracks[side], pairing.turn);
    return pairing.crop[side] ?? { width, height };
  });
  const shown = { sizes, turn: view.turn };
  const rough = areaFindings(layout, shown);
  const mayBeFilled = fillingOf(sizes.reference, sizes.distorted) !== undefined;
  if (rough.length === 0 && isInPlace(view) && !mayBeFilled) return [];
  const planes = await fullSize(pair, sizes, frames);
  const exact = refineArea(planes.reference, planes.distorted, view, layout.inside);
  // An area that full-size frames do not confirm is never certain.
  if (exact === undefined) return rough.map((finding) => withoutBorders(atMost("likely", finding)));
  const isWhole = SIDES.every(
    (side) => sizes[side].width - exact[side].width <= 1 && sizes[side].height - exact[side].height <= 1,
  );
  if (isWhole || (rough.length === 0 && !isShownAtFullSize(exact))) return [];
  const findings = areaFindings(layout, shown, exact);
  const isBright = SIDES.every((side) => showsBorders(planes[side], exact, sizes, side));
  const confidence = confidenceIn(
    findings,
    // If a few lines were added, blurred borders can be those of the lines.
    { isExact: exact.exact, isKnown: exact.exact || (isBright && !mayBeFilled) },
    relation,
  );
  const hasFix = exact.exact || (confidence === "certain" && exact.even);
  return findings.map((finding) => {
    const capped = atMost(confidence, finding);
    const found = hasFix ? capped : withoutBorders(capped);
    return isBright ? found : { ...found, evidence: `${found.evidence} ${ALIKE}` };
  });
}

/** Most mismatch (1 − match) that an area too narrow for small pictures may leave, as a part of the whole frames'. */
const CLEARER = 0.7;

function isShownAtFullSize({ exact, layout }: ExactAreas): boolean {
  return exact && 1 - layout.match <= CLEARER * (1 - layout.whole);
}

/** Evidence for areas whose borders are black on both sides: the black can be a bar, or picture that one side lacks. */
const ALIKE = "The pictures are black beside them, where bars and a crop look alike.";

/**
 * Removes the fix of an area whose borders are not known to the sample. A crop by a wrong border would shift the
 * pictures against each other, and the score would be wrong.
 */
function withoutBorders({ fix, ...finding }: Finding): Finding {
  if (fix === undefined) return finding;
  const evidence = `${finding.evidence} Its borders are not known to the sample: measure them before you use --crop.`;
  return { ...finding, evidence };
}

/** Most mismatch (1 − match) that the areas may leave, as a part of the whole frames' mismatch, to explain the pair. */
const EXPLAINED = 0.25;

/**
 * Areas are certain if their borders are known to the sample. They are also certain if their borders are visible and
 * only they explain the pair, because low rates blur borders. A crop must meet both conditions if frames are out of
 * step, or may be: movement can look like a zoom, or shift the pictures against each other.
 */
function confidenceIn(
  findings: readonly Finding[],
  { isExact, isKnown }: { isExact: boolean; isKnown: boolean },
  { layout, time }: Relation,
): Confidence {
  const explains = layout !== undefined && 1 - layout.match <= EXPLAINED * (1 - layout.whole);
  const isUnclear = time.state === "unclear";
  const isInStep = !isUnclear && time.runs.every((run) => run.reference === run.distorted);
  const isCrop = findings.some(({ code }) => code === "CROPPED");
  if (isInStep || !isCrop) return isExact || (explains && isKnown) ? "certain" : "likely";
  if (!explains || (isUnclear && (!isExact || findings.length > 1))) return "possible";
  return isExact && !isUnclear ? "certain" : "likely";
}

/** Width of the strip inside a border that is checked for visible picture, as a part of the area's width or height. */
const BESIDE = 0.04;
/** Mean luma, in 8-bit levels, from which such a strip counts as visible picture. */
const BRIGHT = 24;

/**
 * Whether the pictures are bright enough inside each border that is not the frame's edge. A dark picture beside a
 * black bar shows no border.
 */
function showsBorders(planes: readonly Plane[], exact: ExactAreas, sizes: Sizes, side: Side): boolean {
  const { x, y, width, height } = exact[side];
  const across = Math.max(1, Math.round(BESIDE * width));
  const down = Math.max(1, Math.round(BESIDE * height));
  const strips = {
    left: { x, y, width: across, height },
    right: { x: x + width - across, y, width: across, height },
    top: { x, y, width, height: down },
    bottom: { x, y: y + height - down, width, height: down },
  };
  return BORDERS.filter((border) => SIDES.some((one) => gapAt(border, exact[one], sizes[one]) > 1)).every(
    (border) => planes.some((picture) => meanOf(crop(picture, strips[border]).data) >= BRIGHT),
  );
}

const BORDERS = ["left", "right", "top", "bottom"] as const;

/** Samples between an area and one edge of the frame. */
function gapAt(border: (typeof BORDERS)[number], area: Area, { width, height }: Sizes[Side]): number {
  if (border === "left") return area.x;
  if (border === "top") return area.y;
  return border === "right" ? width - area.x - area.width : height - area.y - area.height;
}

function atMost(confidence: Confidence, finding: Finding): Finding {
  const isLess = CONFIDENCES.indexOf(finding.confidence) < CONFIDENCES.indexOf(confidence);
  return isLess ? { ...finding, confidence } : finding;
}

/** Decodes the luma of a few frames at full size. */
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
