/** Error handling that all calls to the controller's services share. */
import { Failure } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { CallContext } from "./operations.ts";

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

/** Runs a call. Every error becomes a Failure; internal errors are logged. */
export async function answer<T>(log: Log, context: CallContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw logged(log, context, thrown);
  }
}

/** `answer` for a streamed response. */
export async function* answerInParts<T>(
  log: Log,
  context: CallContext,
  work: () => AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    yield* work();
  } catch (thrown) {
    throw logged(log, context, thrown);
  }
}

function logged(log: Log, { requestId }: CallContext, thrown: unknown): Failure {
  const failure = Failure.from(thrown);
  if (failure.kind === "internal") log.error({ requestId, err: failure.cause ?? failure }, "call failed");
  return failure;
}
