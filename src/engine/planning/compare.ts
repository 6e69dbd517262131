/** Decides whether two tracks can be compared, and how their frames are paired. Pure: works on probed facts only. */
import { Failure } from "../../platform/failure.ts";
import type { PairRequest } from "../contract/request.ts";
import type { Warning } from "../contract/result.ts";
import { comparedFormat, isRgb } from "../media/pixels.ts";
import { facts, type Track } from "../media/track.ts";
import { countsOf, type Pairing } from "./pairing.ts";
import { pairRates } from "./rates.ts";
import { comparedSize, orient, scale, shapeWarnings } from "./shapes.ts";

/** In pixels: libvmaf 3 computes no features of smaller frames, and some releases crash on them. */
const MIN_SIDE = 33;

/**
 * Pairs two tracks by number; settleCounts then applies an alignment of the request. Throws a Failure with the facts of
 * each side if they cannot be compared.
 */
export function pair(reference: Track, distorted: Track, request: PairRequest): Pairing {
  const turn = orient(reference, distorted);
  const [width, height] = comparedSize(reference, turn.sides);
  if (Math.min(width, height) < MIN_SIDE) {
    throw new Failure(
      "FRAME_TOO_SMALL",
      `The reference is ${width}x${height}; frames under ${MIN_SIDE} pixels a side cannot be scored.`,
      { found: facts(reference, distorted) },
    );
  }
  const scaling = scale(reference, distorted, turn.sides, request.scaling);
  const rate = pairRates(reference, distorted, request);
  const counts = countsOf({ reference, distorted }, rate.thin);
  return {
    width,
    height,
    format: comparedFormat(reference.pixels, distorted.pixels),
    scaling,
    turn: turn.sides,
    thin: rate.thin,
    counts,
    runs: undefined,
    frameCount: Math.min(counts.reference, counts.distorted),
    warnings: [
      ...reference.warnings,
      ...distorted.warnings,
      ...turn.warnings,
      ...rate.warnings,
      ...shapeWarnings(reference, distorted, turn.sides, scaling),
      ...sampleWarnings(reference, distorted),
    ],
  };
}

/** Warns of differences in how samples are stored or interpreted. */
function sampleWarnings(reference: Track, distorted: Track): readonly Warning[] {
  const warnings: Warning[] = [];
  const [r, d] = [reference.pixels, distorted.pixels];
  if (r.chroma !== d.chroma || r.lossy || d.lossy) {
    const message = `The reference is ${r.name} and the distorted video ${d.name}; both were compared as ${comparedFormat(r, d)}.`;
    warnings.push({ code: "PIXEL_FORMAT_CONVERTED", message });
  } else if (r.depth !== d.depth) {
    const message = `The reference has ${r.depth} bits per sample and the distorted video ${d.depth}; both were compared with the deeper.`;
    warnings.push({ code: "BIT_DEPTH_DIFFERS", message });
  }
  const range = rangeWarning(reference, distorted);
  return range ? [...warnings, range] : warnings;
}

/** Returns undefined if the samples of both are compared in the same range. */
function rangeWarning(reference: Track, distorted: Track): Warning | undefined {
  if (comparedRange(reference) === comparedRange(distorted)) return undefined;
  const message = `The reference ${rangeText(reference)} and the distorted video ${rangeText(distorted)}; their samples were compared as they are. The score is right only if one of them is mistagged; otherwise convert one to the range of the other.`;
  return { code: "COLOR_RANGE_DIFFERS", message };
}

/**
 * The range of a track's samples when they are compared. A file that states none has limited range: H.264 and HEVC
 * define this for streams without video_full_range_flag (annex E of both), and it is the convention everywhere else,
 * including y4m without XCOLORRANGE and raw files. Only yuvj formats are full range by name. RGB is always converted to
 * limited range (graph.ts).
 */
function comparedRange({ pixels, range }: Track): "limited" | "full" {
  if (isRgb(pixels)) return "limited";
  if (range !== "") return range;
  return pixels.fullByName ? "full" : "limited";
}

function rangeText(track: Track): string {
  const { pixels, range } = track;
  if (isRgb(pixels)) return "is RGB (converted to limited range)";
  if (range !== "") return `is tagged ${range} range`;
  if (pixels.fullByName) return `is full range by its pixel format ${pixels.name}`;
  return "states no range (which means limited range)";
}
