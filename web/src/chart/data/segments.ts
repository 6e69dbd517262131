/** The segments of a job: where and how far each is scored. */
import type { components } from "../../../../src/gen/rest/controller.ts";

type Work = components["schemas"]["JobWork"];

export interface Segment {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  readonly progress: "done" | "running" | "waiting" | "failed";
  readonly node: string;
  readonly attempt: number;
  /** Milliseconds so far or in total; undefined if it has not started. */
  readonly elapsedMs: number | undefined;
}

const PROGRESS: Partial<Record<Work["state"], Segment["progress"]>> = {
  DONE: "done",
  LEASED: "running",
  FAILED: "failed",
  CANCELLED: "failed",
};

/** `now`: milliseconds since 1970, until which the elapsed time of running segments is counted. */
export function segmentsOf(work: readonly Work[], now: number): Segment[] {
  return work
    .filter(({ kind, frameCount }) => (kind === "SEGMENT" || kind === "WHOLE") && frameCount > 0)
    .map(({ firstFrame, frameCount, state, node, attempt, startTime, endTime }) => ({
      first: firstFrame,
      last: firstFrame + frameCount - 1,
      progress: PROGRESS[state] ?? "waiting",
      node,
      attempt,
      elapsedMs: elapsed(startTime, endTime, now),
    }))
    .sort((one, other) => one.first - other.first);
}

function elapsed(start: string | undefined, end: string | undefined, now: number): number | undefined {
  if (start === undefined) return undefined;
  return Math.max(0, (end === undefined ? now : Date.parse(end)) - Date.parse(start));
}

/** The segment that contains a frame. */
export function segmentAt(segments: readonly Segment[], frame: number): Segment | undefined {
  let [low, high] = [0, segments.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const segment = segments[middle];
    if (segment === undefined) return undefined;
    if (frame < segment.first) high = middle - 1;
    else if (frame > segment.last) low = middle + 1;
    else return segment;
  }
  return undefined;
}
