/** The properties of both files, and which of their differences affect the score. */

import { rateOf } from "../../../src/jobs/frame-rate.ts";
import { bitRateText, resolutionText, sizeText } from "../../../src/jobs/quantities.ts";
import { formatDuration } from "../ui/moments.ts";
import { fpsText, type MediaInfo, type Sides } from "./media-info.ts";

export interface Property {
  readonly name: string;
  readonly reference: string;
  readonly distorted: string;
  /** The difference affects the score: frames are scaled, converted, paired or rotated for it. */
  readonly matters: boolean;
}

interface Definition {
  readonly name: string;
  /** undefined if the file does not specify it. */
  readonly text: (media: MediaInfo) => string | undefined;
  /** Omitted if no difference matters: encodes are expected to differ in codec, size and bit rate. */
  readonly matters?: (reference: MediaInfo, distorted: MediaInfo) => boolean;
  /** The row is omitted if neither file has it. */
  readonly isOptional?: true;
}

const NOT_SPECIFIED = "not specified";

const DEFINITIONS: readonly Definition[] = [
  { name: "Container", text: ({ container }) => container },
  { name: "Codec", text: ({ codec }) => codec },
  { name: "Encoder", text: ({ encoder }) => encoder, isOptional: true },
  { name: "Resolution", text: resolution, matters: unlike(resolution) },
  { name: "Sample aspect ratio", text: sampleAspect, matters: isStretched, isOptional: true },
  { name: "Pixel format", text: pixelFormat, matters: unlike(pixelFormat) },
  { name: "Bit depth", text: bitDepth, matters: unlike(bitDepth) },
  { name: "Frame rate", text: frameRate, matters: unlike(({ frameRate }) => rateOf(frameRate)) },
  { name: "Frames", text: frameCount, matters: unlike(frameCount) },
  { name: "Duration", text: ({ duration }) => known(duration, formatDuration), isOptional: true },
  { name: "File size", text: ({ bytes }) => known(bytes, sizeText), isOptional: true },
  { name: "Video bit rate", text: ({ videoBitRate }) => known(videoBitRate, bitRateText), isOptional: true },
  { name: "Overall bit rate", text: ({ bitRate }) => known(bitRate, bitRateText), isOptional: true },
  // An unspecified range is read as limited.
  { name: "Colour range", text: colorRange, matters: unlike(({ colorRange }) => colorRange === "full") },
  { name: "Transfer", text: transfer, matters: isOtherDynamics, isOptional: true },
  { name: "Primaries", text: ({ colorPrimaries }) => colorPrimaries || undefined, isOptional: true },
  { name: "Rotation", text: rotation, matters: unlike(rotation) },
];

export function propertiesOf({ reference, distorted }: Sides): readonly Property[] {
  return DEFINITIONS.flatMap(({ name, text, matters, isOptional = false }) => {
    const [one, other] = [text(reference), text(distorted)];
    if (isOptional && one === undefined && other === undefined) return [];
    const texts = { reference: one ?? NOT_SPECIFIED, distorted: other ?? NOT_SPECIFIED };
    return [{ name, ...texts, matters: matters?.(reference, distorted) ?? false }];
  });
}

/** An unspecified property does not count as a difference. */
function unlike(of: (media: MediaInfo) => unknown): (reference: MediaInfo, distorted: MediaInfo) => boolean {
  return (reference, distorted) => {
    const [one, other] = [of(reference), of(distorted)];
    return one !== undefined && other !== undefined && one !== other;
  };
}

/** The tolerance of the engine: conventions for standard definition and rounding differ by up to this much. */
const SAME_SHAPE = 0.024;

/**
 * Whether the videos are displayed in different shapes, so that one of them was stretched. Different sample
 * aspect ratios alone do not mean that.
 */
function isStretched(reference: MediaInfo, distorted: MediaInfo): boolean {
  const [one, other] = [shownShape(reference), shownShape(distorted)];
  return Math.max(one, other) / Math.min(one, other) - 1 > SAME_SHAPE;
}

/** Width over height of the video as a player shows it. */
function shownShape({ width, height, sampleAspectRatio, rotation: degrees }: MediaInfo): number {
  const shape = (width / height) * (rateOf(sampleAspectRatio?.replace(":", "/")) ?? 1);
  return degrees % 180 === 0 ? shape : 1 / shape;
}

/** Results of versions that did not record it have none. */
function sampleAspect({ sampleAspectRatio }: MediaInfo): string | undefined {
  return sampleAspectRatio || undefined;
}

function pixelFormat({ pixelFormat: format }: MediaInfo): string {
  return format;
}

function bitDepth({ bitDepth: bits }: MediaInfo): string {
  return String(bits);
}

function frameCount({ frames }: MediaInfo): string {
  return frames.toLocaleString("en-US");
}

function rotation({ rotation: degrees }: MediaInfo): string {
  return `${degrees}°`;
}

function known(value: number | undefined, text: (value: number) => string): string | undefined {
  return value === undefined ? undefined : text(value);
}

function resolution({ width, height }: MediaInfo): string {
  return resolutionText(width, height);
}

/** "25 fps"; a fractional rate includes its fraction: "29.97 fps (30000/1001)". */
function frameRate({ frameRate: fraction }: MediaInfo): string | undefined {
  const rate = rateOf(fraction);
  if (rate === undefined) return undefined;
  return Number.isInteger(rate) ? fpsText(rate) : `${fpsText(rate)} (${fraction})`;
}

function colorRange({ colorRange: range }: MediaInfo): string | undefined {
  return range === "" ? undefined : range;
}

/** Results of versions that did not record it have none. */
function transfer({ colorTransfer }: MediaInfo): string | undefined {
  return colorTransfer || undefined;
}

/** PQ and HLG, by ffmpeg's names. */
const HDR_TRANSFERS = ["smpte2084", "arib-std-b67"];

/**
 * Whether one side is HDR and the other is not, or both are HDR with different curves. The curves of SDR are
 * similar.
 */
function isOtherDynamics(reference: MediaInfo, distorted: MediaInfo): boolean {
  const [one = "", other = ""] = [transfer(reference), transfer(distorted)];
  return (
    one !== other && [one, other].some((name) => HDR_TRANSFERS.includes(name)) && ![one, other].includes("")
  );
}
