/** The video track of a file: what probing finds, whatever the file is. */
import { Failure } from "../platform/failure.ts";
import type { PixelFormat } from "./pixels.ts";
import type { Rational } from "./rational.ts";
import { formatRational, toNumber } from "./rational.ts";
import type { Side } from "./request.ts";
import type { MediaInfo, Warning } from "./result.ts";

export interface Track {
  readonly side: Side;
  readonly container: string;
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  /** Width of a sample as it is shown over its height; undefined where the file states none. */
  readonly sampleAspect: Rational | undefined;
  readonly pixels: PixelFormat;
  readonly range: "limited" | "full" | "";
  /** Clockwise degrees that a player turns the picture by. */
  readonly rotation: number;
  /** The rate that the file states; undefined when it states none. */
  readonly rate: Rational | undefined;
  /** Frames that will be scored, as far as the container tells. */
  readonly frames: number;
  /** Frames that an edit list hides (or would hide, were it applied). */
  readonly hidden: number;
  /** Bytes of its coded frames, hidden ones included. */
  readonly videoBytes: number;
  /** Presentation times; undefined when the container gives none to rely on. */
  readonly times: FrameTimes | undefined;
  /** Why frame ranges of this file cannot be decoded by themselves; undefined when they can. */
  readonly uncuttable: string | undefined;
  /** Whether its frames are those that it has without its edit list, because the request says so. */
  readonly ignoresEditList: boolean;
  /** Where the samples of a y4m or raw file lie; undefined for every other file. */
  readonly samples: "y4m" | "raw" | undefined;
  /** Whether its decoder reports every picture that it does not complete (self-checking.ts). */
  readonly selfChecking: boolean;
  /** Whether Netflix's vmaf reads the file's samples as they are, without moving chroma or refusing the header. */
  readonly straight: boolean;
  readonly warnings: readonly Warning[];
}

/** Presentation times of a track's frames. */
export interface FrameTimes {
  readonly timeBase: Rational;
  /** Sorted, in units of the time base, all different. */
  readonly pts: Float64Array;
  /** Times of the key frames, sorted: decoding can begin at each. */
  readonly keys: Float64Array;
  /** Bytes of a coded frame on average; 0 where nothing has to be decoded. */
  readonly frameBytes: number;
}

/** A track as results and errors show it. */
function mediaInfo(track: Track): MediaInfo {
  return {
    container: track.container,
    codec: track.codec,
    width: track.width,
    height: track.height,
    pixelFormat: track.pixels.name,
    bitDepth: track.pixels.depth,
    frameRate: track.rate ? formatRational(track.rate) : "",
    frames: track.frames,
    colorRange: track.range,
    sampleAspectRatio: aspectText(track.sampleAspect),
    rotation: track.rotation,
  };
}

/** "16:15"; empty where the file states none. */
export function aspectText(aspect: Rational | undefined): string {
  return aspect ? `${aspect.num}:${aspect.den}` : "";
}

/** A track with the size of its file and of its coded frames, and their bit rates where the file states a frame rate. */
export function fileInfo(track: Track, bytes: number): MediaInfo {
  const { rate, frames, videoBytes } = track;
  const info = { ...mediaInfo(track), bytes, videoBytes };
  if (rate === undefined) return info;
  const duration = frames / toNumber(rate);
  return { ...info, duration, bitRate: (8 * bytes) / duration, videoBitRate: (8 * videoBytes) / duration };
}

/** What was found on each side, for failures. */
export function facts(reference: Track, distorted: Track): Readonly<Record<Side, unknown>> {
  return { reference: mediaInfo(reference), distorted: mediaInfo(distorted) };
}

/** The sides in a sentence. */
export const NAMES: Readonly<Record<Side, string>> = { reference: "reference", distorted: "distorted video" };

/** A number of frames in a sentence. */
export function framesText(count: number, kind = ""): string {
  return `${count} ${kind}${count === 1 ? "frame" : "frames"}`;
}

/** 24 hours at 120 frames per second: what is held per frame then takes some 100 MB. */
export const MAX_FRAMES = 24 * 3600 * 120;

/** Throws MEDIA_TOO_LARGE for more frames than are scored in one piece. */
export function refuseTooMany(frames: number): void {
  if (frames <= MAX_FRAMES) return;
  throw new Failure(
    "MEDIA_TOO_LARGE",
    `A file with more than ${MAX_FRAMES} frames is not scored in one piece. Cut it.`,
  );
}
