/** Findings about the picture areas of a pair. */
import type { Confidence, Finding, Fix } from "../../contract/finding.ts";
import { type Area, areaText } from "../../contract/picture.ts";
import { otherSide, perSide, type Side } from "../../contract/request.ts";
import { areaOf, type Box, boxOf, type Stretch } from "./box.ts";
import type { Layout } from "./layout.ts";
import type { ExactAreas } from "./refine.ts";
import type { Turn } from "./view.ts";

/** Size of a side's frames; of the distorted side as decoded. */
export type Sizes = Readonly<Record<Side, { readonly width: number; readonly height: number }>>;

/**
 * Part of a frame's width or height under which a border of pictures is not taken for a crop: 1.5 samples of 240, and
 * more by BLURRED times what the match lacks.
 */
const SMALL = 1.5 / 240;
const BLURRED = 4;
/** Most samples that encoders and packagers add to fill blocks. */
const FILLING = 16;
/** A view explains the pair if what is left of the mismatch is less than this part. */
const CLEAR = 0.5;
const SOME = 0.8;
/** Least match of a certain finding, and of any: other content stays under 0.25. */
const CERTAIN = 0.75;
const LEAST = 0.45;
/** Least match by which bars that cover picture are found: low rates smear picture into bars. */
const LEAST_COVERED = 0.7;

/** Findings of a turned or mirrored side. `upright`: the best match without any turn. */
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

/** The frames that an area lies in. */
export interface Frames {
  readonly sizes: Sizes;
  /** How the distorted side is turned: areas are given as they lie in its decoded frames. */
  readonly turn: Turn;
}

/**
 * Findings of the areas that both sides show, from the layout of small pictures and, if they were taken, the exact areas
 * of full-size planes. Without those, areas are right to about 0.3 % of the frame.
 */
export function areaFindings(layout: Layout, { sizes, turn }: Frames, exact?: ExactAreas): Finding[] {
  const best = exact?.exact ? ofAreas(exact, sizes) : layout;
  const small = (axis: "x" | "y") => (exact?.exact ? DIFFERENT / shorter(sizes, axis) : SMALL);
  const blurred = exact?.exact ? 1 : 1 + BLURRED * (1 - layout.match);
  const borders = BORDERS.map((border) => lossOf(best, border));
  const padding = isPadding(layout, sizes);
  const isSeen = ({ axis, reference, distorted }: Loss) =>
    Math.max(reference, distorted) > blurred * small(axis);
  if (!padding && !borders.some(isSeen)) return [];
  // Whether the pictures lie on each other in another way; bars that cover picture leave it as it is.
  const mapped = borders.some(
    ({ axis, reference, distorted }) => Math.abs(reference - distorted) > small(axis) / 2,
  );
  const sure = areaConfidence(layout, mapped) ?? (exact?.exact && areaConfidence(exact.layout, mapped));
  if (!sure) return [];
  const confidence = isShifted(best, borders) ? "possible" : sure;
  const seen = exact ?? {
    reference: areaOf(settled(layout.reference), sizes.reference),
    distorted: areaOf(settled(layout.distorted), sizes.distorted),
  };
  const isPart = perSide((side) => isPartOf(seen[side], sizes[side]));
  // What one side's bars cover is missing from both.
  if (!mapped && isPart.reference !== isPart.distorted) return [];
  const areas = { reference: seen.reference, distorted: decoded(seen.distorted, sizes.distorted, turn) };
  const kinds = new Map<string, Kind>();
  for (const border of borders) {
    if (Math.max(border.reference, border.distorted) <= (padding ? SMALL / 4 : small(border.axis))) continue;
    const kind = kindOf(best, border, sizes);
    kinds.set(`${kind.code} ${kind.side}`, kind);
  }
  const fix = cropFix(areas, sizes);
  return [...kinds.values()].map((kind) => ({
    ...kind,
    // A crop is shown on the side that still has the rest.
    area: areas[kind.code === "CROPPED" ? otherSide(kind.side) : kind.side],
    confidence,
    evidence: evidenceOf(layout, areas, exact),
    ...(fix && confidence !== "possible" && { fix }),
  }));
}

/** The layout of exact areas: their borders are those of the areas. */
function ofAreas(exact: ExactAreas, sizes: Sizes): Layout {
  const box = perSide((side) => boxOf(exact[side], sizes[side]));
  return { ...exact.layout, ...box };
}

/** Samples of full size from which areas differ. */
const DIFFERENT = 1.5;

function shorter({ reference, distorted }: Sizes, axis: "x" | "y"): number {
  const length = axis === "x" ? "width" : "height";
  return Math.min(reference[length], distorted[length]);
}

/** A box whose borders are the frame's where they are about there: pictures do not show so small a difference. */
function settled({ x, y }: Box): Box {
  const border = ({ start, end }: Stretch) => ({
    start: start < SMALL / 2 ? 0 : start,
    end: end > 1 - SMALL / 2 ? 1 : end,
  });
  return { x: border(x), y: border(y) };
}

/** Where an area of the mirrored side lies in its decoded frames. */
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

/** Part of each side's frame that lies between its border and what both show. */
interface Loss {
  readonly axis: "x" | "y";
  readonly end: "start" | "end";
  readonly reference: number;
  readonly distorted: number;
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
 * Whether each side has picture beyond opposite borders of the other's. Frames of a moving camera do so if they are not
 * of the same time; crops hardly ever.
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

/** Whether the frames' sizes differ by a few lines, and the pictures lie as if those had been added. */
function isPadding(layout: Layout, sizes: Sizes): boolean {
  const { reference, distorted } = sizes;
  const scale = Math.max(distorted.width / reference.width, distorted.height / reference.height);
  const small = Math.min(distorted.width / reference.width, distorted.height / reference.height);
  const fits = (axis: "x" | "y", length: number, other: number) => {
    // Added to the distorted side at the scale of the other axis, or missing from it.
    return [scale, small].some((by) => {
      const expected = (other * by) / length;
      const lines = Math.abs(1 - expected) * length;
      if (lines < 1.5 || lines > FILLING) return false;
      const { scale: found, shift } = layout[axis];
      const near = Math.abs(1 - expected) / 3;
      return Math.abs(found + shift - expected) < near && Math.abs(shift) < near;
    });
  };
  return fits("x", distorted.width, reference.width) || fits("y", distorted.height, reference.height);
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

/** How much narrower than the rest a bar may be, as a fraction of the frame: two samples of 136. */
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
