/** The video track of a file, as found by probing. The same for every kind of file. */
import type { ByteRange } from "../../jobs/media/byte-range.ts";
import { Failure } from "../../platform/failure.ts";
import type { Side } from "../contract/request.ts";
import type { MediaInfo, Warning } from "../contract/result.ts";
import type { TrackContent } from "./content.ts";
import type { PixelFormat } from "./pixels.ts";
import type { Rational } from "./rational.ts";
import { formatRational, toNumber } from "./rational.ts";

export interface Track {
  readonly side: Side;
  readonly container: string;
  readonly codec: string;
  /** As in MediaInfo. */
  readonly encoder?: string | undefined;
  readonly width: number;
  readonly height: number;
  /** Displayed width of a sample divided by its height; undefined if the file states none. */
  readonly sampleAspect: Rational | undefined;
  readonly pixels: PixelFormat;
  readonly range: "limited" | "full" | "";
  /** Transfer function and primaries that the file states, as ffmpeg names them; undefined: it states none. */
  readonly transfer: string | undefined;
  readonly primaries: string | undefined;
  /** Clockwise degrees by which a player rotates the frames. */
  readonly rotation: number;
  /** The rate that the file states; undefined if it states none. */
  readonly rate: Rational | undefined;
  /** Number of frames that will be scored, according to the container. */
  readonly frames: number;
  /** Number of frames that an edit list hides, or would hide if it were applied. */
  readonly hidden: number;
  /** Bytes of its coded frames, hidden ones included. */
  readonly videoBytes: number;
  /** Presentation times; undefined if the container has no reliable ones. */
  readonly times: FrameTimes | undefined;
  /** Why frame ranges of this file cannot be decoded alone; undefined if they can. */
  readonly uncuttable: string | undefined;
  /** Whether the edit list is ignored, as requested. */
  readonly ignoresEditList: boolean;
  /** The format of a y4m or raw file; undefined for every other file. */
  readonly samples: "y4m" | "raw" | undefined;
  /** Whether its decoder reports every picture that it does not complete (self-checking.ts). */
  readonly selfChecking: boolean;
  /**
   * Whether Netflix's vmaf reads the file's samples unchanged: it neither shifts chroma nor rejects the
   * header.
   */
  readonly straight: boolean;
  /** Digests of its packets; undefined if it has none, or they are not known. */
  readonly content?: TrackContent | undefined;
  /** Its packets as the index of its file lists them; undefined: they were listed from the file itself. */
  readonly indexed?: IndexedPackets | undefined;
  readonly warnings: readonly Warning[];
}

/** The packets of a track as the index of its file lists them, in decoding order. */
export interface IndexedPackets {
  /** The bytes that are read to open the file; in order. */
  readonly opened: readonly ByteRange[];
  readonly pts: Float64Array;
  readonly sizes: Float64Array;
  readonly places: Float64Array;
  /** Flags of libavcodec. */
  readonly flags: Float64Array;
}

/** Presentation times of a track's frames. */
export interface FrameTimes {
  readonly timeBase: Rational;
  /** In units of the time base, sorted, without duplicates. */
  readonly pts: Float64Array;
  /** Times of the key frames, sorted: decoding can begin at each. */
  readonly keys: Float64Array;
  /** Average size of a coded frame in bytes; 0 if nothing has to be decoded. */
  readonly frameBytes: number;
}

/** Returns a track's facts as results and errors show them. */
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
    colorTransfer: track.transfer ?? "",
    colorPrimaries: track.primaries ?? "",
    sampleAspectRatio: aspectText(track.sampleAspect),
    rotation: track.rotation,
    ...(track.encoder !== undefined && { encoder: track.encoder }),
  };
}

/** Formats an aspect ratio as "16:15"; empty if the file states none. */
export function aspectText(aspect: Rational | undefined): string {
  return aspect ? `${aspect.num}:${aspect.den}` : "";
}

/**
 * Adds the sizes of the file and of the coded frames to a track's facts, and their bit rates if a frame rate is stated.
 */
export function fileInfo(track: Track, bytes: number): MediaInfo {
  const { rate, frames, videoBytes } = track;
  const info = { ...mediaInfo(track), bytes, videoBytes };
  if (rate === undefined) return info;
  const duration = frames / toNumber(rate);
  return { ...info, duration, bitRate: (8 * bytes) / duration, videoBitRate: (8 * videoBytes) / duration };
}

/** Returns the facts of each side, for failures. */
export function facts(reference: Track, distorted: Track): Readonly<Record<Side, unknown>> {
  return { reference: mediaInfo(reference), distorted: mediaInfo(distorted) };
}

/** Names of the sides in a sentence. */
export const NAMES: Readonly<Record<Side, string>> = { reference: "reference", distorted: "distorted video" };

/** Formats a number of frames for a sentence. */
export function framesText(count: number, kind = ""): string {
  return `${count} ${kind}${count === 1 ? "frame" : "frames"}`;
}

/** 24 hours at 120 frames per second: the per-frame data then takes about 100 MB. */
export const MAX_FRAMES = 24 * 3600 * 120;

/** Throws MEDIA_TOO_LARGE for more than MAX_FRAMES frames. */
export function refuseTooMany(frames: number): void {
  if (frames <= MAX_FRAMES) return;
  throw new Failure(
    "MEDIA_TOO_LARGE",
    `Files with more than ${MAX_FRAMES} frames cannot be scored. Split the file.`,
  );
}
