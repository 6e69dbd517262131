/** The command lines of ffmpeg that make a clip. */

import { MAX_CLIP_BYTES } from "../../jobs/clips.ts";
import { scoredRate } from "../../jobs/frame-rate.ts";
import { SIDES, type Side } from "../contract/request.ts";
import { sideChain } from "../decoding/graph.ts";
import { inputArguments } from "../decoding/input.ts";
import type { Sources } from "../files/source.ts";
import { EVERY_FRAME, QUIET } from "../media/ffmpeg.ts";
import { formatRational, type Rational, toNumber } from "../media/rational.ts";
import type { Plan } from "../planning/plan.ts";
import type { Segment } from "../planning/segment.ts";
import type { Colours } from "./colours.ts";

/** Successive frames of a segment, none of them from its context. */
export interface ClipPart {
  readonly plan: Plan;
  readonly segment: Segment;
  readonly frames: readonly number[];
}

export interface ClipVideo {
  /** In frame order; at least one. */
  readonly parts: readonly ClipPart[];
  readonly sources: Sources;
  readonly colours: Readonly<Record<Side, Colours>>;
  /** Size of one side. */
  readonly size: { readonly width: number; readonly height: number };
}

/** The file that ffmpeg writes. */
export const encodedFile = "clip.mp4";
/** Frame rate if no file states one. */
const USUAL_RATE: Rational = { num: 25, den: 1 };
/** The same conversion as for stills. Samples of 8 bits in BT.709 and limited range do not change. */
const CONVERSION = "flags=bicubic+accurate_rnd+full_chroma_int:sws_dither=none";

/** Returns the command that decodes both sides as for scoring, and encodes them next to each other. */
export function clipArguments(video: ClipVideo): readonly string[] {
  const { parts, sources, colours } = video;
  const inputs = parts.flatMap((part) => SIDES.flatMap((side) => partInput(part, sources, side)));
  const chains = parts.flatMap((part, index) => [
    ...SIDES.map((side, input) => {
      const label = `[${2 * index + input}:V:0]`;
      return `${label}${partChain(part, side)},${toVideo(video.size, colours[side])}[${side}${index}]`;
    }),
    // Without `shortest`, the last frame of the shorter side would be repeated.
    `[reference${index}][distorted${index}]hstack=shortest=1[both${index}]`,
  ]);
  const all = parts.map((_, index) => `[both${index}]`).join("");
  const rate = rateOf(parts);
  const join = `${all}concat=n=${parts.length},settb=${rate.den}/${rate.num},setpts=N[out]`;
  return [
    ...[...QUIET, "-progress", "pipe:1", "-stats_period", "0.3", "-xerror"],
    ...inputs,
    ...["-filter_complex", [...chains, join].join(";"), "-map", "[out]"],
    ...["-frames:v", String(parts.reduce((sum, { frames }) => sum + frames.length, 0))],
    // The frames' times follow the rate, so no frame is dropped or duplicated. A constant rate is needed so
    // that the last frame has a duration.
    ...["-fps_mode", "cfr", "-r", `${rate.num}/${rate.den}`, "-map_metadata", "-1", ...encoding()],
    // Encoding ends soon after the limit is exceeded.
    ...["-fs", String(MAX_CLIP_BYTES + 1), encodedFile],
  ];
}

/** Returns the command that only decodes a part of one side. */
export function decodeArguments(part: ClipPart, sources: Sources, side: Side): readonly string[] {
  return [
    ...[...QUIET, "-xerror", ...partInput(part, sources, side)],
    ...["-filter_complex", `[0:V:0]${partChain(part, side)}[out]`, "-map", "[out]"],
    ...["-frames:v", String(part.frames.length), ...EVERY_FRAME, "-f", "null", "-"],
  ];
}

/**
 * H.264 of visually lossless quality, without the tuning that trades exact samples for texture. Every frame is shown when
 * it is decoded, and a browser that goes to a frame decodes at most 12.
 */
export function encoding(): readonly string[] {
  return [
    ...["-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p", "-crf", "10"],
    ...["-preset", "faster", "-tune", "ssim", "-bf", "0", "-g", "12"],
    ...["-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"],
    ...["-an", "-movflags", "+faststart", "-f", "mp4"],
  ];
}

function partInput({ plan: { tracks, pairing }, segment }: ClipPart, sources: Sources, side: Side) {
  return inputArguments({ tracks, sources, pairing, segment }, side);
}

function partChain({ plan: { tracks, pairing }, segment, frames }: ClipPart, side: Side): string {
  const seen = segment.first - segment.before;
  return sideChain(
    tracks[side],
    pairing,
    segment,
    frames.map((frame) => frame - seen),
  );
}

/** Converts compared samples to those of the video, and pads the side to an even size. */
function toVideo({ width, height }: ClipVideo["size"], { matrix, range }: Colours): string {
  const colours = `in_range=${range}:in_color_matrix=${matrix}:out_range=tv:out_color_matrix=bt709`;
  const fill = `pad=${width + (width % 2)}:${height + (height % 2)}`;
  return `scale=${width}:${height}:${CONVERSION}:${colours},format=yuv420p,${fill},setsar=1`;
}

/** Returns the frame rate of the side whose frames are counted. */
function rateOf([part]: readonly ClipPart[]): Rational {
  const rates = SIDES.map((side) => part?.plan.tracks[side].rate);
  const [reference, distorted] = rates.map((rate) => ({ frameRate: rate ? formatRational(rate) : "" }));
  const scored = scoredRate({ reference, distorted });
  return rates.find((rate) => rate !== undefined && toNumber(rate) === scored) ?? USUAL_RATE;
}
