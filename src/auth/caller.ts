/** Whose a refusal is, where a good signature says it: for the audit log, and never for the caller. */
import { Failure } from "../platform/failure.ts";

export interface Caller {
  readonly tenant: string;
  readonly subject: string;
}

const CALLERS = new WeakMap<Failure, Caller>();

/** What `decide` gives; the failure that it throws is of that caller. */
export function decideOf<T>(caller: Caller, decide: () => T): T {
  try {
    return decide();
  } catch (thrown) {
    const failure = Failure.from(thrown);
    CALLERS.set(failure, caller);
    throw failure;
  }
}

/** undefined: nobody can say who it is that was refused. */
export function callerOf(failure: Failure): Caller | undefined {
  return CALLERS.get(failure);
}
