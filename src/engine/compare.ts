/** Whether two tracks can be compared, and how their frames are paired. Pure: it only weighs what was found. */
import { Failure } from "../platform/failure.ts";
import { comparedFormat } from "./pixels.ts";
import { toNumber } from "./rational.ts";
import type { PairRequest, Side } from "./request.ts";
import type { ScalingInfo, Warning } from "./result.ts";
import { mediaInfo, type Track } from "./track.ts";

/** How the frames of two tracks are brought together. */
export interface Pairing {
  /** Size and planar format in which both are scored. */
  readonly width: number;
  readonly height: number;
  readonly format: string;
  readonly scaling: ScalingInfo | undefined;
  /** Sides whose picture is turned for display before it is compared. */
  readonly turn: readonly Side[];
  /** The side of which only every n-th frame has a partner, when the rates differ. */
  readonly thin: { readonly side: Side; readonly every: number } | undefined;
  /** Frames left on each side after thinning, as far as the containers tell. */
  readonly counts: Readonly<Record<Side, number>>;
  /** Frames that are scored. */
  readonly frameCount: number;
  readonly warnings: readonly Warning[];
}

/** Pixels: libvmaf 3 computes no features of smaller frames, and some releases crash on them. */
const LEAST_SIDE = 33;

/** Pairs two tracks, or throws a Failure that says what was found on each side. */
export function pair(reference: Track, distorted: Track, request: PairRequest): Pairing {
  const turn = orientation(reference, distorted);
  const [width, height] = size(reference, turn.sides);
  if (Math.min(width, height) < LEAST_SIDE) {
    throw new Failure(
      "FRAME_TOO_SMALL",
      `The reference is ${width}x${height}; frames under ${LEAST_SIDE} pixels a side cannot be scored.`,
      { found: facts(reference, distorted) },
    );
  }
  const scaling = scale(reference, distorted, turn.sides, request.scaling);
  const rate = pairRates(reference, distorted, request.onFrameRateMismatch);
  const counts = countsOf({ reference, distorted }, rate.thin);
  return {
    width,
    height,
    format: comparedFormat(reference.pixels, distorted.pixels),
    scaling,
    turn: turn.sides,
    thin: rate.thin,
    counts,
    frameCount: Math.min(counts.reference, counts.distorted),
    warnings: [
      ...reference.warnings,
      ...distorted.warnings,
      ...turn.warnings,
      ...rate.warnings,
      ...(scaling ? [scalingWarning(scaling)] : []),
      ...sampleWarnings(reference, distorted),
    ],
  };
}

/**
 * The pairing by the frames that tracks turned out to have: as many on both sides, or cut
 * to the common ones when the request says so.
 */
export function settleCounts(
  planned: Pairing,
  tracks: Readonly<Record<Side, Track>>,
  request: PairRequest,
): Pairing {
  const counts = countsOf(tracks, planned.thin);
  const pairing = { ...planned, counts, frameCount: Math.min(counts.reference, counts.distorted) };
  const { reference, distorted } = pairing.counts;
  if (reference === distorted) return pairing;
  const found = facts(tracks.reference, tracks.distorted);
  if (request.onFrameCountMismatch === "REFUSE") {
    throw new Failure(
      "FRAME_COUNT_MISMATCH",
      `The reference has ${framesOf(tracks.reference, reference)} and the distorted video ${framesOf(tracks.distorted, distorted)}, so frames cannot be paired by number. Give the same content, or set onFrameCountMismatch to COMMON to score the first ${pairing.frameCount}.`,
      { found },
    );
  }
  const warning: Warning = {
    code: "FRAME_COUNT_MISMATCH",
    message: `The reference has ${reference} frames and the distorted video ${distorted}; the first ${pairing.frameCount} of each were scored, as asked.`,
  };
  return { ...pairing, warnings: [...pairing.warnings, warning] };
}

function framesOf(track: Track, frames: number): string {
  return track.hidden === 0
    ? `${frames} frames`
    : `${frames} frames that play (its edit list hides ${track.hidden})`;
}

/** What was found on each side, for failures. */
export function facts(reference: Track, distorted: Track): Readonly<Record<Side, unknown>> {
  return { reference: mediaInfo(reference), distorted: mediaInfo(distorted) };
}

function size(track: Track, turned: readonly Side[]): readonly [number, number] {
  const sideways = turned.includes(track.side) && track.rotation % 180 === 90;
  return sideways ? [track.height, track.width] : [track.width, track.height];
}

/**
 * The pictures are compared as they are coded, without turning them for display, when
 * both ask for the same turn or are coded in the same shape. A file that is to be
 * turned beside one that was turned before coding is turned for the comparison.
 */
function orientation(
  reference: Track,
  distorted: Track,
): { readonly sides: readonly Side[]; readonly warnings: readonly Warning[] } {
  if (reference.rotation === distorted.rotation) return { sides: [], warnings: [] };
  const turns = `The reference is shown turned by ${reference.rotation}°, the distorted video by ${distorted.rotation}°`;
  if (isPortrait(reference, []) === isPortrait(distorted, [])) {
    const message = `${turns}; their pictures were compared as they are coded.`;
    return { sides: [], warnings: [{ code: "ROTATION_DIFFERS", message }] };
  }
  const sides = [reference, distorted].filter((track) => track.rotation !== 0).map((track) => track.side);
  if (isPortrait(reference, sides) !== isPortrait(distorted, sides)) {
    throw new Failure(
      "ORIENTATION_MISMATCH",
      `${turns}, and one is upright where the other is wide. Give videos of the same orientation.`,
      { found: facts(reference, distorted) },
    );
  }
  const message = `${turns}; the ${sides.join(" and the ")} picture was turned before it was compared.`;
  return { sides, warnings: [{ code: "ROTATED", message }] };
}

function isPortrait(track: Track, turned: readonly Side[]): boolean {
  const [width, height] = size(track, turned);
  return height > width;
}

function scale(
  reference: Track,
  distorted: Track,
  turned: readonly Side[],
  policy: PairRequest["scaling"],
): ScalingInfo | undefined {
  const [toWidth, toHeight] = size(reference, turned);
  const [fromWidth, fromHeight] = size(distorted, turned);
  if (toWidth === fromWidth && toHeight === fromHeight) return undefined;
  if (toHeight > toWidth !== fromHeight > fromWidth && toWidth !== toHeight && fromWidth !== fromHeight) {
    throw new Failure(
      "ORIENTATION_MISMATCH",
      `The reference is ${toWidth}x${toHeight} and the distorted video ${fromWidth}x${fromHeight}: one is upright where the other is wide. Give videos of the same orientation.`,
      { found: facts(reference, distorted) },
    );
  }
  if (policy === "REFUSE") {
    throw new Failure(
      "FRAME_SIZE_MISMATCH",
      `The reference is ${toWidth}x${toHeight} and the distorted video ${fromWidth}x${fromHeight}. Set scaling to AUTO to have the distorted video scaled to the reference's size.`,
      { found: facts(reference, distorted) },
    );
  }
  return { fromWidth, fromHeight, toWidth, toHeight, algorithm: "bicubic" };
}

function scalingWarning(scaling: ScalingInfo): Warning {
  const { fromWidth, fromHeight, toWidth, toHeight } = scaling;
  const shape = (fromWidth / fromHeight) * (toHeight / toWidth);
  // 2 %: what rounding to even sizes can do to a shape; more is another aspect ratio.
  const stretched =
    Math.abs(shape - 1) > 0.02 ? " The two have different shapes: the picture was stretched." : "";
  return {
    code: "SCALED",
    message: `The distorted video was scaled from ${fromWidth}x${fromHeight} to the reference's ${toWidth}x${toHeight} (bicubic).${stretched}`,
  };
}

/** Rates closer than this are one: it parts 24 from 23.976 (0.1 %) and forgives what time stamps round. */
const SAME_RATE = 0.0005;
/** Speed-up between 24 and 25 frames per second is 4.2 %: the same frames at another pace. */
const SAME_FRAMES = 0.05;
/** How far from a whole multiple a rate may be. */
const WHOLE_MULTIPLE = 0.005;

function pairRates(
  reference: Track,
  distorted: Track,
  policy: PairRequest["onFrameRateMismatch"],
): { readonly thin: Pairing["thin"]; readonly warnings: readonly Warning[] } {
  const rates = differentRates(reference, distorted);
  if (!rates) return { thin: undefined, warnings: [] };
  const [referenceRate, distortedRate] = rates;
  const words = `The reference has ${fps(referenceRate)} and the distorted video ${fps(distortedRate)} frames per second`;
  const ratio = Math.max(referenceRate, distortedRate) / Math.min(referenceRate, distortedRate);
  const every = Math.round(ratio);
  const tolerance = every === 1 ? SAME_FRAMES : WHOLE_MULTIPLE;
  const common = Math.abs(ratio / every - 1) <= tolerance;
  if (policy === "REFUSE" || !common) {
    const hint = common
      ? "Set onFrameRateMismatch to COMMON to score the frames that they have in common."
      : "Neither rate is a whole multiple of the other, so they have no frames in common.";
    throw new Failure("FRAME_RATE_MISMATCH", `${words}. ${hint}`, { found: facts(reference, distorted) });
  }
  const side: Side = referenceRate > distortedRate ? "reference" : "distorted";
  const how =
    every === 1 ? "frames were paired by number" : `every ${every}th frame of the ${side} was scored`;
  return {
    thin: every === 1 ? undefined : { side, every },
    warnings: [{ code: "FRAME_RATE_MISMATCH", message: `${words}; ${how}, as asked.` }],
  };
}

/** The two rates when they differ; undefined when they agree, or when one is not known. */
function differentRates(reference: Track, distorted: Track): readonly [number, number] | undefined {
  if (!reference.rate || !distorted.rate) return undefined;
  const stated = [toNumber(reference.rate), toNumber(distorted.rate)] as const;
  if (Math.abs(stated[0] / stated[1] - 1) <= SAME_RATE) return undefined;
  const measured = [measuredRate(reference), measuredRate(distorted)] as const;
  const [a, b] = measured;
  if (a && b && Math.abs(a.rate / b.rate - 1) <= SAME_RATE + a.doubt + b.doubt) return undefined;
  return [a?.rate ?? stated[0], b?.rate ?? stated[1]];
}

/** Frames per second over the whole file, and the part of it that rounded time stamps leave in doubt. */
function measuredRate(track: Track): { readonly rate: number; readonly doubt: number } | undefined {
  const { times } = track;
  if (!times || times.pts.length < 2) return undefined;
  const ticks = (times.pts.at(-1) ?? 0) - (times.pts[0] ?? 0);
  // Where a frame lasts whole ticks its time stamps are not rounded, and nothing is in doubt.
  const ticksPerFrame = track.rate ? 1 / (toNumber(track.rate) * toNumber(times.timeBase)) : Number.NaN;
  const exact = Math.abs(ticksPerFrame - Math.round(ticksPerFrame)) < 1e-6;
  const rate = (times.pts.length - 1) / (ticks * toNumber(times.timeBase));
  return { rate, doubt: exact ? 0 : 1 / ticks };
}

function fps(rate: number): string {
  return String(Math.round(rate * 1000) / 1000);
}

function countsOf(tracks: Readonly<Record<Side, Track>>, thin: Pairing["thin"]): Pairing["counts"] {
  return { reference: thinned(tracks.reference, thin), distorted: thinned(tracks.distorted, thin) };
}

function thinned(track: Track, thin: Pairing["thin"]): number {
  return thin?.side === track.side ? Math.ceil(track.frames / thin.every) : track.frames;
}

/** Differences in how samples are stored or meant, of which a reader of the score should know. */
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
  if (reference.range !== distorted.range && reference.range !== "" && distorted.range !== "") {
    const message = `The reference is tagged ${reference.range} range and the distorted video ${distorted.range}; their samples were compared as they are.`;
    warnings.push({ code: "COLOR_RANGE_DIFFERS", message });
  }
  return warnings;
}
