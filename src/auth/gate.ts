/** Whether a caller may do what it asks for: what a transport decides before it reads the request. */
import type { Permissions } from "./permissions.ts";
import { type Authenticate, NOBODY, OPEN_PRINCIPAL, type Principal } from "./principal.ts";

export interface Gate {
  /**
   * Who calls. `operation`: its name in the table of permissions; undefined: there is none such, and
   * the caller only has to say who it is. `authorization`: the header's value; undefined: it has none.
   * Throws Failure.
   */
  admit(operation: string | undefined, authorization: string | undefined): Promise<Principal>;
}

/** Lets everybody do everything, of a process that knows no tenants. */
export const OPEN_GATE: Gate = { admit: async () => OPEN_PRINCIPAL };

export function gate(authenticate: Authenticate, permissions: Permissions): Gate {
  return {
    async admit(operation, authorization) {
      if (operation !== undefined && permissions.needOf(operation) === "open") return NOBODY;
      const principal = await authenticate(authorization);
      if (operation !== undefined) permissions.check(operation, principal);
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

/** Lets a caller in, as `admit` does. */
export async function letIn(
  from: Gate,
  operation: string | undefined,
  authorization: string | undefined,
): Promise<Admitted> {
  const readmit = () => from.admit(operation, authorization);
  return { principal: await readmit(), readmit };
}
