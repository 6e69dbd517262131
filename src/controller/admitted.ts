/** Answers that last: for as long as their caller would be let in anew. */
import { Failure } from "../platform/failure.ts";
import type { CallContext } from "./operations.ts";

/** Milliseconds between two looks: what ends with its caller's token ends at most so much later. */
const LOOK_EVERY_MS = 1_000;

/** `parts`: yields until its signal aborts. Throws the failure of the look that did not let the caller in. */
export async function* whileAdmitted<T>(
  { readmit, signal }: CallContext,
  parts: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const shut = new AbortController();
  const look = (): void => {
    readmit?.().catch((thrown: unknown) => shut.abort(Failure.from(thrown)));
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  try {
    for await (const part of parts(AbortSignal.any([signal, shut.signal]))) {
      shut.signal.throwIfAborted();
      yield part;
    }
    shut.signal.throwIfAborted();
  } finally {
    clearInterval(timer);
  }
}
