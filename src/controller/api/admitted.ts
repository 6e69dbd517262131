/** Repeats the access check of a caller while its response is streamed or held. */
import { Failure } from "../../platform/failure.ts";
import type { CallContext } from "./operations.ts";

/** Milliseconds between two checks. A response ends at most this long after its caller's token becomes invalid. */
const LOOK_EVERY_MS = 1_000;

/** Yields from `parts`, which ends when its signal aborts. Throws the failure of the check that rejected the caller. */
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

/**
 * Returns the result of `wait`, which ends when its signal aborts. Throws what `wait` throws, or the failure of the
 * check that rejected the caller, at most a second later. Expiry of the token meanwhile is not a reason to end: the
 * token was valid when the call began.
 */
export async function waitWhileAdmitted<T>(
  { readmit, signal }: CallContext,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const shut = new AbortController();
  const look = async (): Promise<void> => {
    const refusal = await refusalOf(readmit);
    if (refusal !== undefined && refusal.code !== "TOKEN_EXPIRED") shut.abort(refusal);
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  try {
    return await wait(AbortSignal.any([signal, shut.signal]));
  } finally {
    clearInterval(timer);
    await look();
    shut.signal.throwIfAborted();
  }
}

/** Returns why a caller would be rejected now; undefined if it would be admitted. */
export async function refusalOf(readmit: CallContext["readmit"]): Promise<Failure | undefined> {
  try {
    await readmit?.();
    return undefined;
  } catch (thrown) {
    return Failure.from(thrown);
  }
}
