/** Selects the worst moments of a scored job, whose stills are made automatically, grouped by scored segment. */
import type { ScoreResult } from "../../engine/contract/result.ts";
import { scoredRate } from "../../jobs/frame-rate.ts";
import { framesApart, worstMoments } from "../../jobs/scores/moments.ts";
import type { StillsPart } from "../../store/contract/still-records.ts";
import type { ScoredPart } from "../../store/contract/task-records.ts";

type Scored = Pick<ScoreResult, "models" | "reference" | "distorted" | "frames">;
type Part = Pick<ScoredPart, "firstFrame" | "frameCount" | "segment">;

/**
 * Returns up to `count` moments of the first model; by default all that the result lists. Empty if no frame has a
 * score.
 */
export function worstFrames(result: Scored, parts: readonly Part[], count?: number): StillsPart[] {
  const [first] = result.models;
  if (first === undefined) return [];
  const distance = framesApart(scoredRate(result));
  const frames = worstMoments(result.frames, first.metric, distance, count).map(({ frame }) => frame);
  return parts.flatMap(({ firstFrame, frameCount, segment }) => {
    const own = frames.filter((frame) => frame >= firstFrame && frame < firstFrame + frameCount);
    return own.length === 0 ? [] : [{ ...(segment !== undefined && { segment }), frames: own }];
  });
}
