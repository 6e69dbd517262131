/**
 * Small pictures of the fields of some frames that a run of the scorer compares. They come from the scorer's own
 * decoders, like the pictures of whole frames.
 */
import type { FrameSpan } from "../contract/finding.ts";
import { FIELDS_BYTES, SHRINK_FIELDS } from "../media/pictures.ts";

/**
 * Frames of a burst: consecutive, so that the inner ones have neighbours, and enough for a cadence of
 * telecine.
 */
const BURST = 7;
/** Limit of bursts in a span, and the number of frames in a span for each burst. */
const BURSTS = 8;
const FRAMES_PER_BURST = 40;

/** Returns the frames whose fields are delivered, numbered like the spans: bursts spread over each span. */
export function fieldFrames(spans: readonly FrameSpan[]): readonly number[] {
  return spans.flatMap(burstsOf).flatMap((first) => Array.from({ length: BURST }, (_, at) => first + at));
}

/** Returns the first frames of a span's bursts. */
function burstsOf({ first, count }: FrameSpan): readonly number[] {
  if (count < BURST) return [];
  const bursts = Math.min(BURSTS, Math.ceil(count / FRAMES_PER_BURST));
  const step = (count - BURST) / bursts;
  return Array.from({ length: bursts }, (_, index) => first + Math.floor((index + 0.5) * step));
}

/** Returns the filters from the compared frames of a side, numbered from 0, to the pictures of their fields. */
export function fieldChain(spans: readonly FrameSpan[]): string {
  const within = spans.flatMap(burstsOf).map((first) => `between(n\\,${first}\\,${first + BURST - 1})`);
  return `select=${within.join("+")},${SHRINK_FIELDS}`;
}

/** Returns the place of a span's pictures in the file with those of all spans. */
export function fieldBytes(before: readonly FrameSpan[], span: FrameSpan): { first: number; length: number } {
  const bytes = (spans: readonly FrameSpan[]) => FIELDS_BYTES * fieldFrames(spans).length;
  return { first: bytes(before), length: bytes([span]) };
}
