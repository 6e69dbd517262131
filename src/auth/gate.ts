/** Whether a caller may do what it asks for: what a transport decides before it reads the request. */
import { Failure } from "../platform/failure.ts";
import { type Caller, callerOf, decideOf } from "./caller.ts";
import type { Permissions } from "./permissions.ts";
import {
  type Authenticate,
  authenticateNobody,
  NOBODY,
  OPEN_PRINCIPAL,
  type Principal,
} from "./principal.ts";

export interface Gate {
  /** Whether everybody is let in, and nobody is asked for a token. */
  readonly asksNobody: boolean;
  /**
   * Who calls. `operation`: its name in the table of permissions; undefined: there is none such, and
   * the caller only has to say who it is. `authorization`: the header's value; undefined: it has none.
   * Throws Failure.
   */
  admit(operation: string | undefined, authorization: string | undefined): Promise<Principal>;
}

/** Lets everybody do everything, of a process that knows no tenants. */
export const OPEN_GATE: Gate = { asksNobody: true, admit: async () => OPEN_PRINCIPAL };

export function gate(authenticate: Authenticate, permissions: Permissions): Gate {
  return {
    asksNobody: authenticate === authenticateNobody,
    async admit(operation, authorization) {
      if (operation !== undefined && permissions.needOf(operation) === "open") return NOBODY;
      const principal = await authenticate(authorization);
      if (operation !== undefined) decideOf(principal, () => permissions.check(operation, principal));
      return principal;
    },
  };
}

/** A caller that was let in. */
export interface Admitted {
  readonly principal: Principal;
  /** Throws Failure when the caller would not be let in any more. */
  readonly readmit: () => Promise<Principal>;
}

/** Who is told what was decided of a caller. */
export interface Witness {
  admitted(principal: Principal): void;
  /** `caller`: undefined: nobody can say who it is. */
  refused(code: string, caller: Caller | undefined): void;
}

/** Lets a caller in, as `admit` does. */
export async function letIn(
  from: Gate,
  operation: string | undefined,
  authorization: string | undefined,
  witness?: Witness,
): Promise<Admitted> {
  const readmit = () => from.admit(operation, authorization);
  try {
    const principal = await readmit();
    witness?.admitted(principal);
    return { principal, readmit };
  } catch (thrown) {
    const failure = Failure.from(thrown);
    witness?.refused(failure.code, callerOf(failure));
    throw failure;
  }
}
