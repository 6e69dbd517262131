/** How the distorted side of a pair is encoded, and how its pictures are changed before. None of this is a fault. */
import type { Size } from "./contents.ts";
import type { Draw } from "./draw.ts";

export const CODECS = ["x264", "x265", "av1", "mpeg2", "vp9"] as const;
export type Codec = (typeof CODECS)[number];

export interface Treatment {
  readonly codec: Codec;
  /** CRF of x264. The scales of other codecs are mapped to it. */
  readonly crf: number;
  /** Size of the encode as a share of its size without the treatment. */
  readonly scale: number;
  /** 1: unchanged. */
  readonly gamma: number;
  /** Strength of noise, in levels; 0: none. */
  readonly grain: number;
}

/** Half of the encodes are scaled, or have a gamma or grain. One of 25 has a CRF above 45. */
export function drawTreatment(draw: Draw): Treatment {
  const kind = draw.chance(0.5) ? draw.one(["scale", "gamma", "grain"] as const) : "plain";
  return {
    codec: draw.one(["x264", "x264", "x264", "x265", "x265", "av1", "mpeg2", "vp9"] as const),
    crf: draw.chance(0.04) ? draw.integer(46, 51) : draw.integer(18, 45),
    scale: kind === "scale" ? draw.one([0.5, 2 / 3, 0.75, 1.5]) : 1,
    gamma: kind === "gamma" ? draw.one([0.85, 0.92, 1.08, 1.15]) : 1,
    grain: kind === "grain" ? draw.integer(3, 10) : 0,
  };
}

/** Returns the size of an encode of pictures of this size. */
export function encodedSize({ scale }: Treatment, { width, height }: Size): Size {
  const even = (length: number) => 2 * Math.round((length * scale) / 2);
  return scale === 1 ? { width, height } : { width: even(width), height: even(height) };
}

/** Returns a chain of filters around those of a fault, whose pictures have this size. */
export function treated(treatment: Treatment, filters: readonly string[], size: Size): string[] {
  const { scale, gamma, grain } = treatment;
  const { width, height } = encodedSize(treatment, size);
  return [
    ...(gamma === 1 ? [] : [`lutyuv=y='16+219*pow(clip((val-16)/219,0,1),${gamma})'`]),
    ...filters,
    ...(scale === 1 ? [] : [`scale=${width}:${height}:flags=bicubic`]),
    ...(grain === 0 ? [] : [`noise=c0s=${grain}:c0f=t`]),
  ];
}

const QUALITY: Readonly<Record<Codec, (crf: number) => readonly string[]>> = {
  x264: (crf) => ["-c:v", "libx264", "-preset", "veryfast", "-crf", String(crf)],
  x265: (crf) => {
    return [
      "-c:v",
      "libx265",
      "-preset",
      "ultrafast",
      "-crf",
      String(crf),
      "-x265-params",
      "log-level=error:pools=1",
    ];
  },
  av1: (crf) => ["-c:v", "libsvtav1", "-preset", "11", "-crf", String(Math.min(63, Math.round(crf * 1.3)))],
  mpeg2: (crf) => ["-c:v", "mpeg2video", "-q:v", String(Math.min(31, Math.max(2, crf - 16))), "-bf", "2"],
  vp9: (crf) => {
    const speed = ["-deadline", "realtime", "-cpu-used", "8", "-row-mt", "0"];
    return ["-c:v", "libvpx-vp9", ...speed, "-b:v", "0", "-crf", String(Math.min(63, Math.round(crf * 1.3)))];
  },
};

/** Arguments for ffmpeg. Each encoder has one thread, because several pairs are made at a time. */
export function encodeArguments({ codec, crf }: Pick<Treatment, "codec" | "crf">): string[] {
  return [...QUALITY[codec](crf), "-threads", "1"];
}

/** The frame rates that MPEG-2 can state (ISO/IEC 13818-2, table 6-4). */
const MPEG2_RATES = ["24000/1001", "24/1", "25/1", "30000/1001", "30/1", "50/1", "60000/1001", "60/1"];

/** Returns the file name extension of an encode: Matroska where MP4 would not show which codec is used. */
export function extensionOf({ codec }: Pick<Treatment, "codec">): string {
  return codec === "mpeg2" || codec === "vp9" ? "mkv" : "mp4";
}

/** Returns the treatment, or one with a codec that can encode this rate. */
export function encodable(treatment: Treatment, rate: string): Treatment {
  const possible =
    treatment.codec !== "mpeg2" || MPEG2_RATES.includes(rate.includes("/") ? rate : `${rate}/1`);
  return possible ? treatment : { ...treatment, codec: "x264" };
}
