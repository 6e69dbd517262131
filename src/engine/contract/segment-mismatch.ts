/** The failure of segments that differ from the plan. Scoring the pair whole may succeed. */
import { Failure } from "../../platform/failure.ts";

/** Scoring the pair whole then shows whether its segment boundaries or its media are at fault. */
export class SegmentMismatch extends Failure {
  static of({ code, message, found, cause }: Failure): SegmentMismatch {
    return new SegmentMismatch(code, message, { ...(found && { found }), cause });
  }
}
