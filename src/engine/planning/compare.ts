/** Decides whether two tracks can be compared, and how their frames are paired. Pure: works on probed facts only. */
import { Failure, invalid } from "../../platform/failure.ts";
import type { SampleRange } from "../contract/picture.ts";
import { type PairRequest, perSide, type Side } from "../contract/request.ts";
import type { Warning } from "../contract/result.ts";
import { bitsOf, comparedFormat, isRgb } from "../media/pixels.ts";
import { facts, NAMES, type Track } from "../media/track.ts";
import { type Colours, countsOf, type Pairing, type Recolouring } from "./pairing.ts";
import { pairRates } from "./rates.ts";
import { comparedSize, croppedTrack, orient, pictureWarnings, scale, shapeWarnings } from "./shapes.ts";

/** In pixels: libvmaf 3 computes no features of smaller frames, and some releases crash on them. */
const MIN_SIDE = 33;

/**
 * Pairs two tracks by number; settleCounts then applies an alignment of the request. Throws a Failure with the facts of
 * each side if they cannot be compared.
 */
export function pair(reference: Track, distorted: Track, request: PairRequest): Pairing {
  const turn = orient(reference, distorted);
  const crop = perSide((side) => request.crop?.[side]);
  const shown = perSide((side) =>
    croppedTrack(side === "reference" ? reference : distorted, turn.sides, crop[side]),
  );
  const [width, height] = comparedSize(shown.reference, turn.sides);
  if (Math.min(width, height) < MIN_SIDE) {
    throw new Failure(
      "FRAME_TOO_SMALL",
      `The reference is ${width}x${height}; frames under ${MIN_SIDE} pixels a side cannot be scored.`,
      { found: facts(reference, distorted) },
    );
  }
  const found = facts(reference, distorted);
  const scaling = scale(shown.reference, shown.distorted, turn.sides, request.scaling, found);
  const recolour = recolouring(reference, distorted, request);
  const rate = pairRates(reference, distorted, request);
  const counts = countsOf({ reference, distorted }, rate.thin);
  return {
    width,
    height,
    format: comparedFormat(reference.pixels, distorted.pixels),
    scaling,
    turn: turn.sides,
    crop,
    mirror: perSide((side) => request.mirror?.[side]),
    recolour,
    thin: rate.thin,
    counts,
    runs: undefined,
    frameCount: Math.min(counts.reference, counts.distorted),
    warnings: [
      ...reference.warnings,
      ...distorted.warnings,
      ...turn.warnings,
      ...rate.warnings,
      ...pictureWarnings(request),
      ...shapeWarnings(shown.reference, shown.distorted, turn.sides, scaling),
      ...sampleWarnings(reference, distorted, request),
      ...recolouringWarnings(recolour),
    ],
  };
}

/** Warns of differences in how samples are stored or interpreted. */
function sampleWarnings(reference: Track, distorted: Track, { rangeOf }: PairRequest): readonly Warning[] {
  const warnings: Warning[] = [];
  const [r, d] = [reference.pixels, distorted.pixels];
  if (r.chroma !== d.chroma || r.lossy || d.lossy) {
    const message = `The reference is ${r.name} and the distorted video ${d.name}; both were compared as ${comparedFormat(r, d)}.`;
    warnings.push({ code: "PIXEL_FORMAT_CONVERTED", message });
  } else if (r.depth !== d.depth) {
    const message = `The reference has ${r.depth} bits per sample and the distorted video ${d.depth}; both were compared with the deeper.`;
    warnings.push({ code: "BIT_DEPTH_DIFFERS", message });
  }
  const range = hasSide(rangeOf) ? undefined : rangeWarning(reference, distorted);
  return range ? [...warnings, range] : warnings;
}

function hasSide(sides: Partial<Record<Side, unknown>> | undefined): boolean {
  return sides?.reference !== undefined || sides?.distorted !== undefined;
}

/** Bits per sample that the scorer's filter converts. */
const RECOLOURED_BITS = [8, 10, 12];

/**
 * Decides how the distorted video's samples are converted, if the request says what the samples of the sides are. Throws
 * INVALID_REQUEST for samples that cannot be what it says, or that cannot be converted.
 */
export function recolouring(
  reference: Track,
  distorted: Track,
  { rangeOf, matrixOf }: PairRequest,
): Recolouring | undefined {
  for (const { side, pixels } of [reference, distorted])
    if (isRgb(pixels) && (rangeOf?.[side] ?? matrixOf?.[side]) !== undefined)
      throw invalid(
        `The ${NAMES[side]} is RGB (${pixels.name}), which is always converted to limited range and BT.709. Leave out rangeOf and matrixOf of this side.`,
      );
  const own = rangeOf?.distorted ?? comparedRange(distorted);
  const from = { range: own, matrix: matrixOf?.distorted ?? "BT709" } as const;
  const to = {
    range: hasSide(rangeOf) ? (rangeOf?.reference ?? comparedRange(reference)) : own,
    matrix: matrixOf?.reference ?? "BT709",
  } as const;
  if (from.range === to.range && from.matrix === to.matrix) return undefined;
  const bits = bitsOf(comparedFormat(distorted.pixels, distorted.pixels));
  if (RECOLOURED_BITS.includes(bits)) return { from, to };
  throw invalid(
    `The distorted video has ${distorted.pixels.depth} bits per sample (${distorted.pixels.name}); only up to 12 can be converted to another range or matrix. Convert the file first.`,
  );
}

function recolouringWarnings(recolour: Recolouring | undefined): readonly Warning[] {
  if (recolour === undefined) return [];
  const text = ({ range, matrix }: Colours): string =>
    [
      ...(recolour.from.range === recolour.to.range ? [] : [`${range.toLowerCase()} range`]),
      ...(recolour.from.matrix === recolour.to.matrix ? [] : [matrix.replace("BT", "BT.")]),
    ].join(" and ");
  const message = `As requested, the distorted video was converted from ${text(recolour.from)} to the reference's ${text(recolour.to)}.`;
  return [{ code: "COLOURS_CONVERTED", message }];
}

/** Returns a warning if the samples of both sides are compared in different ranges. */
function rangeWarning(reference: Track, distorted: Track): Warning | undefined {
  if (comparedRange(reference) === comparedRange(distorted)) return undefined;
  const message = `The reference ${rangeText(reference)} and the distorted video ${rangeText(distorted)}; their samples were compared as they are. The score is right only if one of them is mistagged; otherwise set rangeOf to say what the samples of each side are.`;
  return { code: "COLOR_RANGE_DIFFERS", message };
}

/**
 * The range of a track's samples when they are compared. A file that states none has limited range: H.264 and HEVC
 * define this for streams without video_full_range_flag (annex E of both), and it is the convention everywhere else,
 * including y4m without XCOLORRANGE and raw files. Only yuvj formats are full range by name. RGB is always converted to
 * limited range (graph.ts).
 */
export function comparedRange(track: Track): SampleRange {
  return statedRange(track) ?? "LIMITED";
}

/** Returns the range that the file states; undefined if it states none. */
export function statedRange({ pixels, range }: Track): SampleRange | undefined {
  if (isRgb(pixels)) return "LIMITED";
  if (range !== "") return range === "full" ? "FULL" : "LIMITED";
  return pixels.fullByName ? "FULL" : undefined;
}

function rangeText(track: Track): string {
  const { pixels, range } = track;
  if (isRgb(pixels)) return "is RGB (converted to limited range)";
  if (range !== "") return `is tagged ${range} range`;
  if (pixels.fullByName) return `is full range by its pixel format ${pixels.name}`;
  return "states no range (which means limited range)";
}
