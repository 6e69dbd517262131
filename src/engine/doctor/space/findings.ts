/**
 * Findings about the picture areas of a pair. Thresholds were tuned on the development half of the corpus of
 * bench/doctor.
 */
import type { Confidence, Finding, Fix } from "../../contract/finding.ts";
import { type Area, areaText } from "../../contract/picture.ts";
import { otherSide, perSide, type Side } from "../../contract/request.ts";
import { areaOf, type Box, boxOf, type Stretch } from "./box.ts";
import { FILLING, fillingOf } from "./filling.ts";
import type { Layout } from "./layout.ts";
import type { ExactAreas } from "./refine.ts";
import type { Turn } from "./view.ts";

/** Sizes of both sides' frames, before the distorted side is turned. */
export type Sizes = Readonly<Record<Side, { readonly width: number; readonly height: number }>>;

/**
 * A border up to this fraction of the frame's width or height is not reported as a crop or bar: 1.5 of the 240
 * samples of a small picture do not show it.
 */
const SMALL = 1.5 / 240;
/** Low rates blur borders: per unit of mismatch (1 − match), the limit SMALL grows by this multiple of itself. */
const BLURRED = 4;
/**
 * A view explains the pair clearly if it leaves at most this part of the mismatch (1 − match) that there is without
 * it.
 */
const CLEAR = 0.5;
/** The same for a view that explains the pair well enough for a likely finding. */
const SOME = 0.8;
/** Least match of a certain finding. */
const CERTAIN = 0.75;
/** Least match of any finding. Other content stays below 0.25. */
const LEAST = 0.45;
/** Least match for bars that cover a part of the picture. Low rates smear picture into bars. */
const LEAST_COVERED = 0.7;

/** Findings about a turned or mirrored distorted side. `upright` is the best match without a turn. */
export function turnFindings(turn: Turn, match: number, upright: number): Finding[] {
  if (!turn.transposed && !turn.mirrorX && !turn.mirrorY) return [];
  const confidence = confidenceOf(match, upright);
  if (!confidence) return [];
  const evidence = `The ${nameOf(turn)} distorted pictures match the reference's with a correlation of ${match.toFixed(2)}, as they are with ${upright.toFixed(2)}.`;
  if (turn.transposed || (turn.mirrorX && turn.mirrorY)) {
    const half: Fix = { mirror: { distorted: "BOTH" } };
    return [
      { code: "ROTATED", side: "distorted", confidence, evidence, ...(!turn.transposed && { fix: half }) },
    ];
  }
  const direction = turn.mirrorX ? "HORIZONTAL" : "VERTICAL";
  const fix: Fix = { mirror: { distorted: direction } };
  return [{ code: "MIRRORED", side: "distorted", confidence, evidence, fix }];
}

function nameOf({ transposed, mirrorX, mirrorY }: Turn): string {
  if (transposed) return mirrorX === mirrorY ? "transposed" : "quarter-turned";
  if (mirrorX && mirrorY) return "half-turned";
  return mirrorX ? "horizontally mirrored" : "vertically mirrored";
}

function confidenceOf(match: number, without: number): Confidence | undefined {
  if (match < LEAST || 1 - match > SOME * (1 - without)) return undefined;
  return match >= CERTAIN && 1 - match <= CLEAR * (1 - without) ? "certain" : "likely";
}

/** The frames in which areas are given. */
export interface Frames {
  readonly sizes: Sizes;
  /** How the distorted side is turned. Its areas are given in its decoded frames, before the turn. */
  readonly turn: Turn;
}

/**
 * Findings about the areas that both sides show. `layout` is that of small pictures, which is right to about 0.3 % of
 * the frame. `exact` has the areas measured on full-size planes, if that was done.
 */
export function areaFindings(layout: Layout, { sizes, turn }: Frames, exact?: ExactAreas): Finding[] {
  const measured = exact?.exact ? exact : undefined;
  const fullSize = exact && ofAreas(exact, sizes);
  const best = measured && fullSize ? fullSize : layout;
  const small = (axis: "x" | "y") => (measured ? DIFFERENT / longer(sizes, axis) : SMALL);
  const blurred = measured ? 1 : 1 + BLURRED * (1 - layout.match);
  const borders = BORDERS.map((border) => lossOf(best, border));
  const padding = isPadding(layout, sizes);
  const isSeen = (loss: Loss) => widest(loss) > blurred * small(loss.axis);
  if (!padding && !borders.some(isSeen)) return [];
  // True if the two sides lose different parts, so that one picture is scaled or shifted against the other. Bars that
  // only cover a part of the picture take the same part from both sides.
  const mapped = borders.some(
    ({ axis, reference, distorted }) => Math.abs(reference - distorted) > small(axis) / 2,
  );
  const sure = areaConfidence(layout, mapped) ?? (measured && areaConfidence(measured.layout, mapped));
  if (!sure) return [];
  const confidence = isShifted(best, borders) ? "possible" : sure;
  const seen = exact ?? {
    reference: areaOf(settled(layout.reference), sizes.reference),
    distorted: areaOf(settled(layout.distorted), sizes.distorted),
  };
  const isPart = perSide((side) => isPartOf(seen[side], sizes[side]));
  // Bars that cover a part of the picture take it from both sides, so neither area may be a whole frame.
  if (!mapped && isPart.reference !== isPart.distorted) return [];
  const areas = { reference: seen.reference, distorted: decoded(seen.distorted, sizes.distorted, turn) };
  const kinds = new Map<string, Kind>();
  for (const border of borders) {
    const kind = kindOf(best, border, sizes);
    const least = padding && kind.code === "PADDED" ? SMALL / 4 : small(border.axis);
    const isShown = fullSize === undefined || widest(lossOf(fullSize, border)) > 0;
    if (isShown && widest(border) > least) kinds.set(`${kind.code} ${kind.side}`, kind);
  }
  const fix = cropFix(areas, sizes);
  return [...kinds.values()].map((kind) => ({
    ...kind,
    // For a crop, the area is that of the side that still has the rest.
    area: areas[kind.code === "CROPPED" ? otherSide(kind.side) : kind.side],
    confidence,
    evidence: evidenceOf(layout, areas, exact),
    ...(fix && confidence !== "possible" && { fix }),
  }));
}

/** The layout with the borders of the exact areas. */
function ofAreas(exact: ExactAreas, sizes: Sizes): Layout {
  const box = perSide((side) => boxOf(exact[side], sizes[side]));
  return { ...exact.layout, ...box };
}

/** Least width of a border that counts in exact areas, in samples of the larger side. */
const DIFFERENT = 1.5;

function longer({ reference, distorted }: Sizes, axis: "x" | "y"): number {
  const length = axis === "x" ? "width" : "height";
  return Math.max(reference[length], distorted[length]);
}

/**
 * The box with borders that nearly reach the edge of the frame moved to it. Small pictures do not show so small a
 * difference.
 */
function settled({ x, y }: Box): Box {
  const border = ({ start, end }: Stretch) => ({
    start: start < SMALL / 2 ? 0 : start,
    end: end > 1 - SMALL / 2 ? 1 : end,
  });
  return { x: border(x), y: border(y) };
}

/** Converts an area of the mirrored distorted side to its decoded frames. */
function decoded(area: Area, { width, height }: Sizes[Side], { mirrorX, mirrorY }: Turn): Area {
  return {
    ...area,
    x: mirrorX ? width - area.x - area.width : area.x,
    y: mirrorY ? height - area.y - area.height : area.y,
  };
}

const BORDERS = [
  { axis: "x", end: "start" },
  { axis: "x", end: "end" },
  { axis: "y", end: "start" },
  { axis: "y", end: "end" },
] as const;

/** The parts of both sides' frames, as fractions, between one edge and the area that both sides show. */
interface Loss {
  readonly axis: "x" | "y";
  readonly end: "start" | "end";
  readonly reference: number;
  readonly distorted: number;
}

function widest({ reference, distorted }: Loss): number {
  return Math.max(reference, distorted);
}

interface Kind {
  readonly code: "CROPPED" | "BARS" | "PADDED";
  readonly side: Side;
}

function lossOf(layout: Layout, { axis, end }: (typeof BORDERS)[number]): Loss {
  const of = (side: Side) => Math.max(0, outward(layout[side][axis][end], end));
  return { axis, end, reference: of("reference"), distorted: of("distorted") };
}

function outward(position: number, end: "start" | "end"): number {
  return end === "start" ? position : 1 - position;
}

function areaConfidence(layout: Layout, mapped: boolean): Confidence | undefined {
  if (mapped) return confidenceOf(layout.match, layout.whole);
  if (layout.match < LEAST_COVERED) return undefined;
  return layout.match >= CERTAIN ? "certain" : "likely";
}

/**
 * Whether each side shows picture that the other lacks, at opposite edges. Frames of a moving camera do so if they
 * show different moments; crops hardly ever do.
 */
function isShifted(layout: Layout, borders: readonly Loss[]): boolean {
  const has = (axis: "x" | "y", end: "start" | "end", side: Side) => {
    const loss = borders.find((border) => border.axis === axis && border.end === end)?.[side] ?? 0;
    return loss > SMALL && outward(layout.inside[side][axis][end], end) < loss - NEAR;
  };
  return (["x", "y"] as const).some(
    (axis) =>
      (has(axis, "start", "reference") && has(axis, "end", "distorted")) ||
      (has(axis, "end", "reference") && has(axis, "start", "distorted")),
  );
}

/**
 * Whether the sizes of the frames differ by a few lines, and the pictures are placed as if these lines had been
 * added.
 */
function isPadding(layout: Layout, { reference, distorted }: Sizes): boolean {
  const filling = fillingOf(reference, distorted);
  if (filling === undefined) return false;
  const { scale, shift } = layout[filling.axis];
  const near = Math.abs(1 - filling.scale) / 3;
  return Math.abs(scale + shift - filling.scale) < near && Math.abs(shift) < near;
}

function kindOf(layout: Layout, loss: Loss, sizes: Sizes): Kind {
  const { axis, end } = loss;
  const hasBar = (side: Side) => {
    const bar = outward(layout.inside[side][axis][end], end);
    return bar > 0 && bar > loss[side] - NEAR;
  };
  const fuller: Side = loss.distorted > loss.reference ? "distorted" : "reference";
  const isCovered = Math.min(loss.reference, loss.distorted) > SMALL;
  if (isCovered) return { code: "BARS", side: hasBar("distorted") ? "distorted" : "reference" };
  const length = axis === "x" ? sizes[fuller].width : sizes[fuller].height;
  const opposite = lossOf(layout, { axis, end: "start" })[fuller];
  const isFilling = end === "end" && opposite < SMALL / 2 && Math.round(loss[fuller] * length) <= FILLING;
  if (isFilling && (fuller === "distorted" || hasBar(fuller))) return { code: "PADDED", side: fuller };
  return hasBar(fuller) ? { code: "BARS", side: fuller } : { code: "CROPPED", side: otherSide(fuller) };
}

/**
 * By how much a bar may be narrower than the part that its side loses there, as a fraction of the frame: two of the
 * 136 lines of a small picture.
 */
const NEAR = 2 / 136;

function cropFix(areas: Readonly<Record<Side, Area>>, sizes: Sizes): Fix | undefined {
  const isPart = perSide((side) => isPartOf(areas[side], sizes[side]));
  const crop = {
    ...(isPart.reference && { reference: areas.reference }),
    ...(isPart.distorted && { distorted: areas.distorted }),
  };
  return crop.reference || crop.distorted ? { crop } : undefined;
}

function isPartOf(area: Area, { width, height }: Sizes[Side]): boolean {
  return area.width !== width || area.height !== height;
}

function evidenceOf(layout: Layout, areas: Readonly<Record<Side, Area>>, exact?: ExactAreas): string {
  const gain =
    layout.match - layout.whole > 0.005
      ? `match with a correlation of ${layout.match.toFixed(2)}, the whole frames with ${layout.whole.toFixed(2)}`
      : `match with a correlation of ${layout.match.toFixed(2)}, and bars cover the rest`;
  const sure = exact?.exact ? "measured on full-size frames" : "right to about 0.3 % of the frame";
  return `${areaText(areas.reference)} of the reference and ${areaText(areas.distorted)} of the distorted video ${gain} (${sure}).`;
}
