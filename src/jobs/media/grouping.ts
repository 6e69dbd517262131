/** The names of ladders that nobody named: what the probe found in their encodes. */
import { resolutionText } from "../quantities.ts";

/** What encodes can be grouped by. */
export const GROUPINGS = ["codec", "encoder", "size"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** What the probe found in an encode. */
export interface Encoded {
  readonly codec: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** As in MediaInfo; empty or absent if the file names none. */
  readonly encoder?: string | undefined;
}

/** The part of an encoder's name that is shown, so that the names of ladders stay within MAX_CELL_NAME. */
const START = /^.{0,60}/su;

export function isGrouping(text: string): text is Grouping {
  return GROUPINGS.some((known) => known === text);
}

/**
 * Returns the name of an encode's ladder, such as "libx264 1920×1080". The codec stands for an encoder that the file
 * does not name. `groupBy`: the parts of the name in their order; none: the codec.
 */
export function groupName(encoded: Encoded, groupBy: readonly Grouping[]): string {
  const { codec, width, height } = encoded;
  const texts = { codec, encoder: encoderName(encoded) || codec, size: resolutionText(width, height) };
  const parts = (groupBy.length === 0 ? (["codec"] as const) : groupBy).map((part) => texts[part]);
  return [...new Set(parts)].join(" ");
}

/** Whether the name of an encode's ladder has its codec in place of the encoder. */
export function lacksEncoder(encoded: Encoded, groupBy: readonly Grouping[]): boolean {
  return groupBy.includes("encoder") && encoderName(encoded) === "";
}

/** Says that the files of `count` encodes name no encoder. */
export function withoutEncoderText(count: number): string {
  const files = count === 1 ? "1 encode names no encoder" : `${count} encodes name no encoder`;
  return `${files}, so ${count === 1 ? "its codec stands" : "their codecs stand"} for it.`;
}

/** Libraries that name themselves in the bitstream, by the names of their encoders in ffmpeg's tags. */
const LIBRARIES: Readonly<Record<string, string>> = { x264: "libx264", x265: "libx265" };

/** Returns the encoder without the version of libavcodec, so that files of several versions are one ladder. */
function encoderName({ encoder = "" }: Encoded): string {
  const name = encoder.replace(/^Lavc[\d.]*\s+/, "");
  return START.exec(LIBRARIES[name] ?? name)?.[0] ?? "";
}
