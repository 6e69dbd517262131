/** SQL as the store sends it. */
import { createHash } from "node:crypto";

/** A statement that is prepared once per connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A statement of fixed text; its name follows from the text. */
export function statement(text: string): Statement {
  return { name: createHash("sha256").update(text).digest("base64url").slice(0, 22), text };
}

/**
 * Whose rows a statement may touch: those of one tenant (role svc_tenant, held by row-level
 * security), or all (role svc_fleet); "owner" is the user that connected, for the schema and upkeep.
 */
export type Scope = { readonly tenant: string } | "fleet" | "owner";

/** A value of a parameter: what PostgreSQL's protocol can carry. */
export type Value =
  | string
  | number
  | boolean
  | bigint
  | Date
  | Uint8Array
  | null
  | readonly (string | number | bigint | Uint8Array | null)[];

/** Sends statements in one scope, over one connection or many. */
export interface Sender {
  query<Row extends object>(statement: Statement, values: readonly Value[]): Promise<Row[]>;
}
