/** Ladders whose curve is the convex hull of encodes of several picture sizes. */
import { upperHull } from "./hull.ts";
import { type Encode, numberFlaw, type PictureSize, type RatePoint, upright } from "./points.ts";
import type { Quality } from "./quality.ts";

/** The curve of a ladder in a clip by one metric, if it is the hull of encodes of several sizes. */
export interface Hull {
  readonly ladder: string;
  readonly clip: string;
  readonly metric: Quality;
  /** How many picture sizes the encodes have. */
  readonly sizes: number;
  readonly on: readonly Encode[];
  /** These are no points of the curve. */
  readonly off: readonly Encode[];
}

/**
 * Returns the hulls of all ladders that have several picture sizes, in clips where the rates of sizes overlap in one of
 * the ladders: such encodes are candidates for a ladder. Where larger pictures always have more bits, all
 * encodes are rungs, and there is no hull.
 */
export function hullsOf(encodes: readonly Encode[], metrics: readonly Quality[]): readonly Hull[] {
  const ladders = [...Map.groupBy(encodes, ({ clip }) => clip).values()]
    .map((own) => [...Map.groupBy(own, ({ ladder }) => ladder).values()])
    .filter((own) => own.some(overlaps))
    .flat()
    .filter((own) => sizesOf(own) > 1);
  return metrics.flatMap((metric, index) => ladders.flatMap((own) => hullOf(own, metric, index) ?? []));
}

/** Whether a smaller picture has at least as many bits as a larger one. */
function overlaps(encodes: readonly Encode[]): boolean {
  const sorted = encodes
    .flatMap(({ rate, size }) =>
      size === undefined || !(rate > 0) ? [] : { rate, area: size.width * size.height },
    )
    .toSorted((one, other) => one.rate - other.rate || other.area - one.area);
  return sorted.some(({ area }, index) => index > 0 && area < (sorted[index - 1]?.area ?? 0));
}

/** How many known sizes there are. */
function sizesOf(encodes: readonly Encode[]): number {
  return new Set(encodes.flatMap(({ size }) => (size === undefined ? [] : sizeText(size)))).size;
}

/** "1920x1080", as tables have it. */
export function sizeText({ width, height }: PictureSize): string {
  return `${width}x${height}`;
}

/** Returns undefined if a rate or score is no number, because the ladder is then refused. */
function hullOf(encodes: readonly Encode[], metric: Quality, index: number): Hull | undefined {
  const [first] = encodes;
  const points = encodes.map((encode) => ({
    ...{ encode, rate: encode.rate, score: encode.scores[index] ?? Number.NaN },
  }));
  if (first === undefined || numberFlaw(points, Number.isFinite) !== undefined) return undefined;
  const hull = new Set(upperHull(upright(points, metric.isLower)).map(({ encode }) => encode));
  const { ladder, clip } = first;
  return {
    ...{ ladder, clip, metric, sizes: sizesOf(encodes) },
    on: encodes.filter((encode) => hull.has(encode)),
    off: encodes.filter((encode) => !hull.has(encode)),
  };
}

/** Points that a curve through encodes of one size has between two of them, and the second one. */
const PIECES = 8;

/**
 * Returns the hull of the curves of all sizes, as AOM's test conditions compute it: between encodes of one size that
 * are neighbours by rate, the score rises linearly with the logarithm of the rate, in eight pieces. The points between
 * encodes are points of the hull too.
 */
export function interpolatedHull(
  points: readonly (RatePoint & { readonly size: PictureSize | undefined })[],
): readonly RatePoint[] {
  const bySize = Map.groupBy(points, ({ size }) => size && sizeText(size));
  return upperHull([...bySize.values()].flatMap(piecesOf));
}

function piecesOf(points: readonly RatePoint[]): readonly RatePoint[] {
  const sorted = points.toSorted((one, other) => one.rate - other.rate || one.score - other.score);
  return sorted.flatMap((after, index) => {
    const before = sorted[index - 1];
    if (before === undefined) return [after];
    const between = Array.from({ length: PIECES - 1 }, (_, piece) => {
      const share = (piece + 1) / PIECES;
      return {
        rate: before.rate * (after.rate / before.rate) ** share,
        score: before.score + share * (after.score - before.score),
      };
    });
    return [...between, after];
  });
}
