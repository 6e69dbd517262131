/** Admits or refuses a caller before the transport reads its request. */
import { Failure } from "../../platform/failure.ts";
import {
  ANONYMOUS,
  type Authenticate,
  allowAnonymous,
  OPEN_PRINCIPAL,
  type Principal,
} from "../principal.ts";
import { attributeFailure, type Caller, callerOf } from "./caller.ts";
import type { Permissions } from "./permissions.ts";

export interface Gate {
  /** Whether every caller is admitted without a token. */
  readonly isAnonymous: boolean;
  /**
   * Returns the caller. `operation` is its name in the table of permissions; if it is undefined (the
   * operation is not in the table), any valid token is accepted. `authorization` is the value of the header.
   * Throws Failure.
   */
  admit(operation: string | undefined, authorization: string | undefined): Promise<Principal>;
}

/** Lets every caller do everything; for a process without tenants. */
export const OPEN_GATE: Gate = { isAnonymous: true, admit: async () => OPEN_PRINCIPAL };

export function gate(authenticate: Authenticate, permissions: Permissions): Gate {
  return {
    isAnonymous: authenticate === allowAnonymous,
    async admit(operation, authorization) {
      if (operation !== undefined && permissions.needOf(operation) === "open") return ANONYMOUS;
      const principal = await authenticate(authorization);
      if (operation !== undefined) attributeFailure(principal, () => permissions.check(operation, principal));
      return principal;
    },
  };
}

/** A caller that was admitted. */
export interface Admitted {
  readonly principal: Principal;
  /** Checks the caller again. Throws Failure if it would no longer be admitted. */
  readonly readmit: () => Promise<Principal>;
}

/** Receives every decision of a gate. */
export interface DecisionObserver {
  admitted(principal: Principal): void;
  /** `caller` is undefined if it could not be identified. */
  refused(code: string, caller: Caller | undefined): void;
}

/** Admits a caller with `Gate.admit` and reports the decision to `observer`. Throws Failure. */
export async function admitCaller(
  from: Gate,
  operation: string | undefined,
  authorization: string | undefined,
  observer?: DecisionObserver,
): Promise<Admitted> {
  const readmit = () => from.admit(operation, authorization);
  try {
    const principal = await readmit();
    observer?.admitted(principal);
    return { principal, readmit };
  } catch (thrown) {
    const failure = Failure.from(thrown);
    observer?.refused(failure.code, callerOf(failure));
    throw failure;
  }
}
