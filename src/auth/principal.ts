/** Who calls: what a transport hands to the services with every request. */

export const ROLES = ["svc:reader", "svc:writer", "svc:admin"] as const;
export type Role = (typeof ROLES)[number];

export interface Principal {
  /** Opaque; only equality counts. */
  readonly tenant: string;
  /** Subject of the token; empty when it names none. */
  readonly subject: string;
  readonly roles: readonly Role[];
}

/** Every caller when authentication is disabled. */
export const OPEN_PRINCIPAL: Principal = { tenant: "dev", subject: "", roles: ["svc:admin"] };

/** The caller of a probe, which needs no credentials. */
export const NOBODY: Principal = { tenant: "", subject: "", roles: [] };

/** Who calls, by the value of the request's `authorization` header; undefined: it has none. Throws Failure. */
export type Authenticate = (authorization: string | undefined) => Promise<Principal>;

/** Takes every caller for OPEN_PRINCIPAL. */
export const authenticateNobody: Authenticate = async () => OPEN_PRINCIPAL;
