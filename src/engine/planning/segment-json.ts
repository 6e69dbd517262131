/** Segments of plans as JSON, with the same care as plan-json.ts. */
import { Failure } from "../../platform/failure.ts";
import { numberIn, optional, readJson, record, wholeNumber } from "../../platform/strict-json.ts";
import { perSide, type Side } from "../contract/request.ts";
import { coveragesDecoder, coveragesText, toCoverages } from "../coverage/coverage-json.ts";
import { MAX_FRAMES } from "../media/track.ts";
import { LATEST_SECONDS } from "./cut.ts";
import type { Segment } from "./segment.ts";

/** Characters of a segment with two coverages of MAX_RANGES: at most 1400. */
const MAX_SEGMENT_CHARS = 1536;

const frames = wholeNumber(1, MAX_FRAMES);
const noOrMoreFrames = wholeNumber(0, MAX_FRAMES);
const moment = numberIn(-LATEST_SECONDS, LATEST_SECONDS);
const cutDecoder = record({ seek: optional(moment), start: optional(moment), end: optional(moment) });
const segmentDecoder = record({
  first: noOrMoreFrames,
  count: frames,
  before: noOrMoreFrames,
  after: noOrMoreFrames,
  cut: optional(record({ reference: cutDecoder, distorted: cutDecoder })),
  coverages: optional(coveragesDecoder),
});

/** Rounds a time to the decimals that reach the scorer: input.ts prints 6 of a seek, graph.ts 9 of a range. */
function rounded(seconds: number | undefined, decimals: number): number | undefined {
  return seconds === undefined ? undefined : Number(seconds.toFixed(decimals));
}

export function writeSegment({ cut, coverages, ...numbers }: Segment): string {
  if (cut === undefined) return JSON.stringify(numbers);
  const sideOf = ({ seek, range }: (typeof cut)[Side]): object => ({
    seek: rounded(seek, 6),
    start: rounded(range.start, 9),
    end: rounded(range.end, 9),
  });
  return JSON.stringify({
    ...numbers,
    cut: perSide((side) => sideOf(cut[side])),
    coverages: coverages && coveragesText(coverages),
  });
}

/** Parses what writeSegment wrote. Throws INVALID_REQUEST. */
export function readSegment(text: string): Segment {
  const { cut, coverages, ...numbers } = readJson("segment", text, MAX_SEGMENT_CHARS, segmentDecoder);
  const { first, before, after, count } = numbers;
  const past = first + count + after > MAX_FRAMES;
  if (before > first || past || (cut === undefined && first + before + after > 0))
    throw new Failure("INVALID_REQUEST", "The segment cannot be read: its frames are not in the video.");
  if (cut === undefined) return { ...numbers, cut: undefined };
  const sideOf = ({ seek, start, end }: (typeof cut)[Side]) => ({ seek, range: { start, end } });
  const known = coverages && toCoverages(coverages);
  return { ...numbers, cut: perSide((side) => sideOf(cut[side])), ...(known && { coverages: known }) };
}
