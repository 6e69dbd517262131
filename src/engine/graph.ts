/**
 * The filter chains that bring both sides to the same samples. No text of a user ever
 * stands in them: only numbers, and names from our own tables.
 */
import type { Pairing } from "./compare.ts";
import { comparedFormat, isRgb } from "./pixels.ts";
import type { Track } from "./track.ts";

/** Tags off: ffmpeg would convert samples by what a file says of its colours; scores compare the samples themselves. */
const UNTAG = "setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709:field_mode=prog";
/** Scaling as VMAF's authors advise, pinned: lanczos or bilinear give other scores. */
const SCALE_FLAGS = "flags=bicubic:in_range=tv:out_range=tv:in_color_matrix=bt709:out_color_matrix=bt709";

/** A range of frames by presentation time in seconds; open where undefined. */
export interface TimeRange {
  readonly start: number | undefined;
  readonly end: number | undefined;
}

/**
 * The chain of one side, from the decoder to samples that can be compared: of all frames of the
 * range, or of some of them alone, counted from its first one that has a partner.
 */
export function sideChain(
  track: Track,
  pairing: Pairing,
  range?: TimeRange,
  some?: readonly number[],
): string {
  return [
    ...trim(range),
    ...toPlanar(track),
    UNTAG,
    ...thin(track, pairing),
    ...common(track, pairing),
    ...pick(some),
    ...convert(track, pairing),
    `format=${pairing.format}`,
    // Frames are paired by number: every time stamp is replaced by it.
    "settb=1/1000",
    "setpts=N",
  ].join(",");
}

/** Whether a side's samples are compared as they lie in its file, without a filter that changes or drops any. */
export function isVerbatim(track: Track, pairing: Pairing): boolean {
  const exact = track.pixels.name === pairing.format && !pairing.turn.includes(track.side);
  return exact && sameSize(track, pairing) && pairing.thin?.side !== track.side;
}

function trim(range: TimeRange | undefined): readonly string[] {
  if (!range || (range.start === undefined && range.end === undefined)) return [];
  const start = range.start === undefined ? [] : [`start=${range.start.toFixed(9)}`];
  const end = range.end === undefined ? [] : [`end=${range.end.toFixed(9)}`];
  return [`trim=${[...start, ...end].join(":")}`];
}

/**
 * Formats that must become plain YUV before their tags are taken off: yuvj, which is
 * full-range by name and taken as it is, in a step that changes no depth; and RGB.
 */
function toPlanar(track: Track): readonly string[] {
  const { pixels } = track;
  if (pixels.fullByName) {
    return ["scale=in_range=full:out_range=full", `format=${pixels.name.replace("yuvj", "yuv")}`];
  }
  if (!isRgb(pixels)) return [];
  return [
    "scale=flags=bicubic:out_range=tv:out_color_matrix=bt709",
    `format=${comparedFormat(pixels, pixels)}`,
  ];
}

function thin(track: Track, pairing: Pairing): readonly string[] {
  return pairing.thin?.side === track.side ? [`select=not(mod(n\\,${pairing.thin.every}))`] : [];
}

/** The longer side ends with the shorter one, where the request asked for the common frames. */
function common(track: Track, pairing: Pairing): readonly string[] {
  return pairing.counts[track.side] > pairing.frameCount ? [`trim=end_frame=${pairing.frameCount}`] : [];
}

/** Each frame is converted by itself, so those that nobody asks for need not be. */
function pick(some: readonly number[] | undefined): readonly string[] {
  return some === undefined ? [] : [`select=${some.map((frame) => `eq(n\\,${frame})`).join("+")}`];
}

function convert(track: Track, pairing: Pairing): readonly string[] {
  const plain = planarName(track) === pairing.format && sameSize(track, pairing);
  return plain ? [] : [`scale=${pairing.width}:${pairing.height}:${SCALE_FLAGS}`];
}

/** The format that a track's samples have after toPlanar. */
function planarName({ pixels }: Track): string {
  return isRgb(pixels) ? comparedFormat(pixels, pixels) : pixels.name.replace("yuvj", "yuv");
}

function sameSize(track: Track, pairing: Pairing): boolean {
  return track.width === pairing.width && track.height === pairing.height;
}
