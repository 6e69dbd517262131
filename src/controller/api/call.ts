/** Failures that several operations throw. */
import { Failure } from "../../platform/failure.ts";

export function shuttingDown(): Failure {
  return new Failure("SHUTTING_DOWN", "The controller is shutting down. Use another one, or retry later.");
}

/** For a caller that waits for a job; the job continues. */
export function waitsEnded(jobId: string): Failure {
  return new Failure(
    "SHUTTING_DOWN",
    "The controller is shutting down; the job continues. Ask another controller for it, or retry later.",
    { found: { jobId } },
  );
}

export function cancelled(): Failure {
  return new Failure("SCORE_CANCELLED", "The caller ended the call.");
}
