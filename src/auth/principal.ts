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
