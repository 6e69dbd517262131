/** The authenticated caller of a request. */

export const ROLES = ["svc:reader", "svc:writer", "svc:admin"] as const;
export type Role = (typeof ROLES)[number];

export interface Principal {
  /** Opaque; compared only for equality. */
  readonly tenant: string;
  /** Subject of the token; empty if it has none. */
  readonly subject: string;
  readonly roles: readonly Role[];
}

/** The caller of every request while authentication is disabled. */
export const OPEN_PRINCIPAL: Principal = { tenant: "dev", subject: "", roles: ["svc:admin"] };

/** The caller of a probe, which needs no token. */
export const ANONYMOUS: Principal = { tenant: "", subject: "", roles: [] };

/** Returns the caller by the value of the `authorization` header, undefined if there is none. Throws Failure. */
export type Authenticate = (authorization: string | undefined) => Promise<Principal>;

/** Authenticates every caller as OPEN_PRINCIPAL. */
export const allowAnonymous: Authenticate = async () => OPEN_PRINCIPAL;
