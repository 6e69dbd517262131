/** New segments as one value of a statement. */
import type { NewSegment } from "../contract/task-records.ts";

/** SQL type of the rows of segmentsJson. */
export const SEGMENT_ROWS =
  "(n int, cost float8, first_frame bigint, frame_count bigint, segment text, reuse_key text)";

/** JSON for jsonb_to_recordset; `n` counts the segments from 0, keys are hexadecimal. */
export function segmentsJson(segments: readonly NewSegment[]): string {
  return JSON.stringify(
    segments.map(({ firstFrame, frameCount, segment, cost, reuseKey }, n) => ({
      ...{ n, cost, segment, ...(reuseKey && { reuse_key: Buffer.from(reuseKey).toString("hex") }) },
      first_frame: firstFrame,
      frame_count: frameCount,
    })),
  );
}
