/** Which frames of a scored job are shown without being asked for: its worst moments, by the parts that they were scored in. */
import type { ScoreResult } from "../engine/result.ts";
import { scoredRate } from "../jobs/frame-rate.ts";
import { framesApart, worstMoments } from "../jobs/moments.ts";
import type { StillsPart } from "../store/still-records.ts";
import type { ScoredPart } from "../store/work-records.ts";

type Scored = Pick<ScoreResult, "models" | "reference" | "distorted" | "frames">;
type Part = Pick<ScoredPart, "firstFrame" | "frameCount" | "segment">;

/** Of up to `count` moments of the first model; default: all that are named. Empty when no frame has a value. */
export function worstFrames(result: Scored, parts: readonly Part[], count?: number): StillsPart[] {
  const [first] = result.models;
  if (first === undefined) return [];
  const apart = framesApart(scoredRate(result));
  const frames = worstMoments(result.frames, first.metric, apart, count).map(({ frame }) => frame);
  return parts.flatMap(({ firstFrame, frameCount, segment }) => {
    const own = frames.filter((frame) => frame >= firstFrame && frame < firstFrame + frameCount);
    return own.length === 0 ? [] : [{ ...(segment !== undefined && { segment }), frames: own }];
  });
}
