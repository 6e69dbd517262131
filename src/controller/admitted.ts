/** Answers that last, or take long to come: for as long as their caller would be let in anew. */
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

/**
 * What `wait` gives, which ends when its signal aborts. Throws the failure of a look that did not let the caller in,
 * at most a second after it would not be, and whatever was waited for. A token that expires meanwhile was good
 * when its caller asked, and nothing else is known of it from then on.
 */
export async function admittedToTheEnd<T>(
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

/** Why a caller would not be let in any more; undefined: it would be. */
export async function refusalOf(readmit: CallContext["readmit"]): Promise<Failure | undefined> {
  try {
    await readmit?.();
    return undefined;
  } catch (thrown) {
    return Failure.from(thrown);
  }
}
