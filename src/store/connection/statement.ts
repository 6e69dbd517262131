/** SQL statements of the store. */
import { createHash } from "node:crypto";

/** A statement, prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Returns a statement whose name is a hash of its text. */
export function statement(text: string): Statement {
  return { name: createHash("sha256").update(text).digest("base64url").slice(0, 22), text };
}

/**
 * The rows that a statement can access: one tenant's (role svc_tenant, enforced by row-level security) or all (role
 * svc_fleet). "owner" is the connected user, for the schema and its maintenance.
 */
export type Scope = { readonly tenant: string } | "fleet" | "owner";

/** A parameter value of the PostgreSQL protocol. */
export type Value =
  | string
  | number
  | boolean
  | bigint
  | Date
  | Uint8Array
  | null
  | readonly (string | number | bigint | Uint8Array | null)[];

/** Sends statements in one scope, over one or several connections. */
export interface Sender {
  query<Row extends object>(statement: Statement, values: readonly Value[]): Promise<Row[]>;
}
