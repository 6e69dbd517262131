/** Parses the registry of tenants. */
import { isObject } from "../../platform/json.ts";
import { type EntryFault, shown } from "./members.ts";
import { type EntryRules, readEntry, type TenantRealm } from "./registry-entry.ts";

export const TENANTS_MOST = 10_000;
/** Limit of reported faults. Nobody would read more, and many faults are often one repeated mistake. */
const MAX_REPORTED = 100;

/** A fault of a registry. */
export interface RegistryFault extends EntryFault {
  /** The entry: its position in the list, from 0, and its tenant id if it has one; undefined: the whole registry. */
  readonly entry?: { readonly index: number; readonly tenantId: string | undefined };
}

export type RegistryOutcome =
  | { readonly realms: readonly TenantRealm[]; readonly faults?: never }
  | { readonly realms?: never; readonly faults: readonly RegistryFault[] };

/**
 * Parses a registry from the value of a YAML or JSON parser: a list of entries, or an object whose only member
 * `tenants` is that list. Never throws: faults are in `faults`.
 */
export function readRegistry(value: unknown, rules: EntryRules): RegistryOutcome {
  if (value === null || value === undefined)
    return refused("is empty. Write [] for a registry without tenants");
  const list = listOf(value);
  if (list === undefined)
    return refused('is neither a list of tenants nor an object whose only member is "tenants".');
  if (list.length > TENANTS_MOST) return refused(`has more than ${TENANTS_MOST} tenants.`);
  const realms: TenantRealm[] = [];
  const faults: RegistryFault[] = [];
  const seen = new Map<string, number>();
  for (const [index, value] of list.entries()) {
    const tenantId = idOf(value);
    const first = tenantId === undefined ? undefined : seen.get(tenantId);
    const { realm, faults: found = [] } = readEntry(value, rules);
    const twice = first === undefined ? [] : [duplicateOf(first)];
    if (realm !== undefined && first === undefined) realms.push(realm);
    if (tenantId !== undefined && first === undefined) seen.set(tenantId, index);
    faults.push(...[...found, ...twice].map((fault) => ({ ...fault, entry: { index, tenantId } })));
  }
  return faults.length > 0 ? { faults } : { realms };
}

/** One sentence per fault, with its entry and member. */
export function describeFaults(faults: readonly RegistryFault[]): string[] {
  const described = faults.slice(0, MAX_REPORTED).map(describe);
  return faults.length > MAX_REPORTED
    ? [...described, `… and ${faults.length - MAX_REPORTED} more`]
    : described;
}

function describe({ entry, member, text }: RegistryFault): string {
  if (entry === undefined) return `it ${text}`;
  const id = entry.tenantId === undefined ? "" : ` (${shown(entry.tenantId)})`;
  return `tenants[${entry.index}]${id}: ${member === "" ? "it" : member} ${text}`;
}

function refused(text: string): RegistryOutcome {
  return { faults: [{ member: "", text }] };
}

function duplicateOf(first: number): EntryFault {
  return {
    member: "tenantId",
    text: `is already used by tenants[${first}]. Give each tenant one entry.`,
  };
}

function listOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  const [member, ...others] = Object.entries(value);
  const tenants = member?.[0] === "tenants" && others.length === 0 ? member[1] : undefined;
  return Array.isArray(tenants) ? tenants : undefined;
}

/** The tenant id of an entry, if it has one; works for invalid entries too. */
export function idOf(entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined;
  const id: unknown = Object.getOwnPropertyDescriptor(entry, "tenantId")?.value;
  return typeof id === "string" ? id : undefined;
}
