/** The table of permissions, api/permissions.yaml: the minimum role of each operation. */
import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { Failure } from "../../platform/failure.ts";
import { isObject } from "../../platform/json.ts";
import { type Principal, ROLES, type Role } from "../principal.ts";

/** A role, any valid token (`token`), or no token at all (`open`). */
const NEEDS = [...ROLES, "token", "open"] as const;
export type Need = (typeof NEEDS)[number];

const TABLE = new URL("../../../api/permissions.yaml", import.meta.url);

/** All operations by name: "package.Service/Method" for gRPC, the operationId for REST. */
export interface Operations {
  readonly grpc: readonly string[];
  readonly http: readonly string[];
}

export class Permissions {
  readonly #needs: ReadonlyMap<string, Need>;

  private constructor(needs: ReadonlyMap<string, Need>) {
    this.#needs = needs;
  }

  /** Reads the table. Throws unless it has exactly `operations`: a forgotten operation must not be open to anyone. */
  static async load(operations: Operations): Promise<Permissions> {
    return Permissions.of(parse(await readFile(TABLE, "utf8")), operations);
  }

  /** `table`: {grpc: {operation: need}, http: {operation: need}}. */
  static of(table: unknown, operations: Operations): Permissions {
    const needs = new Map<string, Need>();
    for (const transport of ["grpc", "http"] as const) {
      const entries = new Map(Object.entries(objectOf(objectOf(table)[transport])));
      for (const operation of operations[transport]) {
        if (!entries.has(operation)) throw new Error(`permissions: ${transport} ${operation} has no entry`);
        needs.set(operation, needOf(operation, entries.get(operation)));
        entries.delete(operation);
      }
      const [left] = entries.keys();
      if (left !== undefined) throw new Error(`permissions: there is no operation ${transport} ${left}`);
    }
    return new Permissions(needs);
  }

  /** Throws if the operation is not in the table. */
  needOf(operation: string): Need {
    const need = this.#needs.get(operation);
    if (need === undefined) throw new Error(`permissions: ${operation} is not in the table`);
    return need;
  }

  /** Throws ROLE_MISSING if none of the caller's roles permits the operation. */
  check(operation: string, { roles }: Principal): void {
    const need = this.needOf(operation);
    if (need === "open" || need === "token") return;
    if (roles.some((role) => includes(role, need))) return;
    const has = roles.length === 0 ? "The token grants no role" : `The token grants ${roles.join(", ")}`;
    throw new Failure("ROLE_MISSING", `${has}; this operation needs ${need}.`);
  }
}

/** A role includes the permissions of the roles before it. */
function includes(role: Role, need: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(need);
}

function needOf(operation: string, value: unknown): Need {
  const need = NEEDS.find((known) => known === value);
  if (need === undefined) throw new Error(`permissions: ${operation} must be one of ${NEEDS.join(", ")}`);
  return need;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new Error("permissions: the table is not {grpc: {operation: need}, http: {operation: need}}");
}
