/**
 * The filter chains that convert both sides to comparable samples. They never contain text of a user: only numbers,
 * and names from our own tables.
 */

import type { Side } from "../contract/request.ts";
import { bitsOf, comparedFormat, isRgb } from "../media/pixels.ts";
import type { Track } from "../media/track.ts";
import type { Pairing } from "../planning/pairing.ts";
import type { Segment, TimeRange } from "../planning/segment.ts";
import { isFromFirst, selection } from "./selection.ts";

/**
 * Replaces a file's colour tags, by which ffmpeg would convert samples: scores compare the samples
 * themselves.
 */
const UNTAG = "setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709:field_mode=prog";
/** Scaling as VMAF's authors recommend, pinned: lanczos or bilinear give other scores. */
const SCALE_FLAGS = "flags=bicubic:in_range=tv:out_range=tv:in_color_matrix=bt709:out_color_matrix=bt709";

/**
 * Returns the filter chain of one side, from the decoder to comparable samples in the pair's format. It delivers all
 * compared frames of the segment and its context, or only `some` of them, counted from the first.
 */
export function sideChain(
  track: Track,
  pairing: Pairing,
  segment: Segment,
  some?: readonly number[],
): string {
  return `${decodedChain(track, pairing, segment, some)},${conversion(track, pairing, pairing.format)}`;
}

/** Returns the first part of that chain, which delivers the compared frames, numbered and as decoded. */
export function decodedChain(
  track: Track,
  pairing: Pairing,
  segment: Segment,
  some?: readonly number[],
): string {
  return [
    ...trim(segment.cut?.[track.side].range),
    ...selection(track, pairing, segment),
    ...pick(some),
    ...untagged(track),
    ...picture(track.side, pairing),
    ...recolour(track, pairing),
    // Frames are paired by number: the number replaces the timestamp.
    "settb=1/1000",
    "setpts=N",
  ].join(",");
}

/**
 * Returns the filters that turn decoded frames into plain YUV, without the tags by which ffmpeg would convert
 * them.
 */
function untagged(track: Track): readonly string[] {
  return [...toPlanar(track), UNTAG];
}

/** Returns the second part of that chain: one conversion to the compared size and planar format of both sides. */
export function conversion(track: Track, pairing: Pairing, format: string): string {
  const plain = planarName(track) === format && sameSize(track, pairing);
  // Without the option, swscale dithers samples of more bits, which hides banding; with it, it rounds.
  const dither = track.pixels.depth > bitsOf(format) ? ":sws_dither=none" : "";
  const scale = `scale=${pairing.width}:${pairing.height}:${SCALE_FLAGS}${dither}`;
  return [...(plain ? [] : [scale]), `format=${format}`].join(",");
}

/**
 * Whether a side's samples are compared as stored in its file, without a filter that changes samples or drops any but
 * the last ones.
 */
export function isVerbatim(track: Track, pairing: Pairing, format: string): boolean {
  const exact = track.pixels.name === format && !pairing.turn.includes(track.side);
  const { crop, mirror } = pairing;
  const converted = track.side === "distorted" && pairing.recolour !== undefined;
  const whole = crop[track.side] === undefined && mirror[track.side] === undefined && !converted;
  return exact && whole && sameSize(track, pairing) && isFromFirst(track, pairing);
}

function trim(range: TimeRange | undefined): readonly string[] {
  if (!range || (range.start === undefined && range.end === undefined)) return [];
  const start = range.start === undefined ? [] : [`start=${range.start.toFixed(9)}`];
  const end = range.end === undefined ? [] : [`end=${range.end.toFixed(9)}`];
  return [`trim=${[...start, ...end].join(":")}`];
}

/** Crops a side's pictures to the compared part and mirrors it. No sample changes. */
function picture(side: Side, { crop, mirror }: Pairing): readonly string[] {
  const [area, direction] = [crop[side], mirror[side]];
  return [
    ...(area === undefined ? [] : [`crop=${area.width}:${area.height}:${area.x}:${area.y}:exact=1`]),
    ...(direction === "HORIZONTAL" || direction === "BOTH" ? ["hflip"] : []),
    ...(direction === "VERTICAL" || direction === "BOTH" ? ["vflip"] : []),
  ];
}

const RANGE_NAMES = { LIMITED: "tv", FULL: "pc" } as const;
const MATRIX_NAMES = { BT601: "smpte170m", BT709: "bt709", BT2020: "bt2020ncl" } as const;

/**
 * Converts the samples of the distorted video at its own depth. The filter multiplies YUV by one matrix.
 * `scale` and `zscale` convert through RGB and clip colours that RGB does not have: in noisy test pictures,
 * they changed half of the samples, by up to 76 of 255; this filter changed 80 of 160,000 samples, by 1.
 */
function recolour({ side, pixels }: Track, { recolour }: Pairing): readonly string[] {
  if (side !== "distorted" || recolour === undefined) return [];
  const { from, to } = recolour;
  return [
    `format=${comparedFormat(pixels, pixels)}`,
    [
      `colorspace=ispace=${MATRIX_NAMES[from.matrix]}:space=${MATRIX_NAMES[to.matrix]}`,
      `irange=${RANGE_NAMES[from.range]}:range=${RANGE_NAMES[to.range]}`,
      // Only the matrix and range of the samples are converted, not the colours that they stand for.
      "iprimaries=bt709:primaries=bt709:itrc=bt709:trc=bt709:fast=1",
    ].join(":"),
    UNTAG,
  ];
}

/**
 * Converts the formats that must become plain YUV before their tags are removed: yuvj, which is full range by name and
 * whose samples are kept, in a step that does not change the depth; and RGB.
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

/** Drops frames that are not requested before the conversion, which handles each frame independently. */
function pick(some: readonly number[] | undefined): readonly string[] {
  if (some === undefined) return [];
  // One term for each stretch of frames: ffmpeg's parser takes at most a hundred.
  const firsts = some.filter((frame, index) => frame - 1 !== some[index - 1]);
  const lasts = some.filter((frame, index) => frame + 1 !== some[index + 1]);
  const terms = firsts.map((first, index) =>
    first === lasts[index] ? `eq(n\\,${first})` : `between(n\\,${first}\\,${lasts[index]})`,
  );
  return [`select=${terms.join("+")}`];
}

/** The format of a track's samples after toPlanar. */
function planarName({ pixels }: Track): string {
  return isRgb(pixels) ? comparedFormat(pixels, pixels) : pixels.name.replace("yuvj", "yuv");
}

function sameSize(track: Track, { width, height, crop }: Pairing): boolean {
  const shown = crop[track.side] ?? track;
  return shown.width === width && shown.height === height;
}
