/**
 * Attaches the caller to the failure that refused it, if a verified signature identifies the caller.
 * The audit log uses this; it is never sent to the caller.
 */
import { Failure } from "../../platform/failure.ts";

export interface Caller {
  readonly tenant: string;
  readonly subject: string;
}

const CALLERS = new WeakMap<Failure, Caller>();

/** Returns the result of `check`. A failure that `check` throws is attributed to `caller`. */
export function attributeFailure<T>(caller: Caller, check: () => T): T {
  try {
    return check();
  } catch (thrown) {
    const failure = Failure.from(thrown);
    CALLERS.set(failure, caller);
    throw failure;
  }
}

/** The caller that was refused; undefined if it could not be identified. */
export function callerOf(failure: Failure): Caller | undefined {
  return CALLERS.get(failure);
}
