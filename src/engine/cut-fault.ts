/** The failure that a whole run may not have: the segments were not what the plan said. */
import { Failure } from "../platform/failure.ts";

/** Scoring the pair in one piece tells whether its cuts or its media are at fault. */
export class CutFault extends Failure {
  static of({ code, message, found, cause }: Failure): CutFault {
    return new CutFault(code, message, { ...(found && { found }), cause });
  }
}
