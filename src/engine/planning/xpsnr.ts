/**
 * Requirements of XPSNR. The scorer's filter (libavfilter/vf_xpsnr.c of ffmpeg 9.0) is right only within the limits
 * here; outside of them it reads or writes outside of its frames without an error.
 */
import { Failure } from "../../platform/failure.ts";
import type { Feature, Side } from "../contract/request.ts";
import type { Warning } from "../contract/result.ts";
import { bitsOf, withBits } from "../media/pixels.ts";
import type { Track } from "../media/track.ts";
import type { Pairing } from "./pairing.ts";
import { comparedRate } from "./rates.ts";

/** Frames with more pixels are judged at half of their resolution, two rows and columns at a time. */
const FULL_RESOLUTION = 2048 * 1152;
/** Frames per second from which temporal activity is measured over three frames instead of two. */
const HIGH_RATE = 32;
/** With more bits per sample, the filter treats the upper half of the values as negative. */
const MOST_BITS = 14;
/** ffmpeg pads the rows of its frames to a multiple of at most this many samples, depending on the processor. */
const ROW_SAMPLES = 64;

export interface Xpsnr {
  /** Planar format of the samples that it is computed from. */
  readonly format: string;
  /**
   * A frame rate that stands for the video's class; the filter has two, below 32 frames per second and from
   * 32 on.
   */
  readonly rate: 25 | 50;
  /** Number of frames before a frame that its values depend on. */
  readonly lookBehind: 1 | 2;
}

type Compared = Pick<Pairing, "width" | "height" | "format">;

/** Returns the settings of XPSNR for a pair. A pair of unknown rate is of the lower class. */
export function xpsnrOf({
  tracks,
  pairing,
}: {
  readonly tracks: Readonly<Record<Side, Track>>;
  readonly pairing: Compared;
}): Xpsnr {
  const format = judgesDepth(pairing) ? pairing.format : withBits(pairing.format, 8);
  return (comparedRate(tracks) ?? 0) < HIGH_RATE
    ? { format, rate: 25, lookBehind: 1 }
    : { format, rate: 50, lookBehind: 2 };
}

/**
 * Whether XPSNR can be computed from the samples as compared. With more than 8 bits, the filter assumes that
 * the rows of the distorted frame follow each other without padding.
 */
function judgesDepth({ width, format }: Compared): boolean {
  const bits = bitsOf(format);
  return bits === 8 || (bits <= MOST_BITS && width % ROW_SAMPLES === 0);
}

/** Throws MEDIA_TOO_LARGE for frames of a size for which the filter would write beyond the last row or column. */
export function refuseXpsnr(features: readonly Feature[], { width, height }: Compared): void {
  if (!features.includes("xpsnr") || width * height <= FULL_RESOLUTION) return;
  if (width % 2 === 0 && height % 2 === 0) return;
  throw new Failure(
    "MEDIA_TOO_LARGE",
    `XPSNR of frames of ${width}x${height} pixels cannot be computed: above 2048x1152 pixels, width and height must be even. Request the score without xpsnr.`,
    { found: { feature: "xpsnr", width, height } },
  );
}

/** Warns if XPSNR is computed from fewer bits than the pair has. */
export function xpsnrWarnings(features: readonly Feature[], pairing: Compared): readonly Warning[] {
  if (!features.includes("xpsnr") || judgesDepth(pairing)) return [];
  const { width, format } = pairing;
  const message = `The scorer cannot compute XPSNR from ${format} ${width} pixels wide, so both videos were rounded to 8 bits for it. Values of other depths are not comparable.`;
  return [{ code: "XPSNR_AT_8_BITS", message }];
}
