/** A segment of a pair, and what its scoring decodes. */
import type { Side } from "../contract/request.ts";

/** A range of frames that is scored independently. */
export interface Segment {
  /** Number of its first frame in the whole video. */
  readonly first: number;
  /** Number of its own frames, without context. */
  readonly count: number;
  /** Context frames scored before and after its own, because motion is measured between adjacent frames. */
  readonly before: number;
  readonly after: number;
  /** Per side, where decoding begins and which frames are kept; undefined if the segment is the whole video. */
  readonly cut: Readonly<Record<Side, Cut>> | undefined;
}

/** A range of frames by presentation time in seconds; undefined means unbounded. */
export interface TimeRange {
  readonly start: number | undefined;
  readonly end: number | undefined;
}

export interface Cut {
  /** Seconds to seek to before decoding; undefined: from the beginning. */
  readonly seek: number | undefined;
  /** Presentation times of the frames to keep, context included. */
  readonly range: TimeRange;
}
