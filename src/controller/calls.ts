/** What every call to the controller's services has in common. */
import { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/log.ts";
import type { CallContext } from "./operations.ts";

export function shuttingDown(): Failure {
  return new Failure(
    "SHUTTING_DOWN",
    "The controller is shutting down. Ask another one, or this one again later.",
  );
}

/** To whom waits for a job, which goes on. */
export function waitsEnded(jobId: string): Failure {
  return new Failure(
    "SHUTTING_DOWN",
    "The controller is shutting down, and the job goes on. Ask another controller for it, or this one again later.",
    { found: { jobId } },
  );
}

export function cancelled(): Failure {
  return new Failure("SCORE_CANCELLED", "The caller ended the call.");
}

/** Answers a call: whatever goes wrong becomes a Failure, and what is svc's own fault is logged. */
export async function answer<T>(log: Log, context: CallContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw told(log, context, thrown);
  }
}

/** The same for an answer in parts. */
export async function* answerInParts<T>(
  log: Log,
  context: CallContext,
  work: () => AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    yield* work();
  } catch (thrown) {
    throw told(log, context, thrown);
  }
}

function told(log: Log, { requestId }: CallContext, thrown: unknown): Failure {
  const failure = Failure.from(thrown);
  if (failure.kind === "internal") log.error({ requestId, err: failure.cause ?? failure }, "call failed");
  return failure;
}
