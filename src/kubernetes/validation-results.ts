/**
 * Decides which SvcTenants of a namespace are in force. The result depends only on all of their current specs, not on
 * earlier results.
 */
import { type EntryFault, shown } from "../auth/tenants/members.ts";
import { idOf, TENANTS_MOST } from "../auth/tenants/registry.ts";
import {
  type EntryOutcome,
  type EntryRules,
  readEntry,
  type TenantRealm,
} from "../auth/tenants/registry-entry.ts";
import type { Collection } from "./collection.ts";
import type { Resource } from "./resource.ts";

export type ValidationResult = { readonly resource: Resource } & (
  | { readonly kind: "accepted"; readonly realm: TenantRealm }
  | { readonly kind: "invalid"; readonly faults: readonly EntryFault[] }
  /** `of`: name of the older resource of the same tenant, which takes precedence. */
  | { readonly kind: "duplicate"; readonly of: string }
  | { readonly kind: "too-many" }
);

/** The result for a resource that is not in force. */
export type Refusal = Exclude<ValidationResult, { kind: "accepted" }>;

/** Returns the realms of the resources that are in force. */
export function acceptedRealms(results: readonly ValidationResult[]): readonly TenantRealm[] {
  return results.flatMap((result) => (result.kind === "accepted" ? [result.realm] : []));
}

/** Reads entries; caches the result per spec object. */
export class EntryReader {
  readonly #rules: EntryRules;
  readonly #read = new WeakMap<object, EntryOutcome>();

  constructor(rules: EntryRules) {
    this.#rules = { ...rules, secrets: true };
  }

  read(spec: unknown): EntryOutcome {
    if (typeof spec !== "object" || spec === null) return readEntry(spec, this.#rules);
    const known = this.#read.get(spec);
    if (known !== undefined) return known;
    const outcome = readEntry(spec, this.#rules);
    this.#read.set(spec, outcome);
    return outcome;
  }
}

/**
 * Judges the oldest resources first and ignores those being deleted. A tenant id belongs to its oldest resource, even
 * if that one is rejected or disabled, so a mistake in it never hands the tenant to someone else. The oldest accepted
 * resource of an issuer determines which claim names the tenant. Otherwise a token could name two tenants and be
 * rejected, so a later resource could lock out the others.
 */
export function judge(resources: Iterable<Resource>, reader: EntryReader): ValidationResult[] {
  const present = [...resources].filter(({ deleting }) => !deleting).sort(byAge);
  const holders = new Map<string, string>();
  const firstOfIssuer = new Map<string, { readonly name: string; readonly tenantClaim: string }>();
  let accepted = 0;
  return present.map((resource): ValidationResult => {
    const id = idOf(resource.spec);
    const of = id === undefined ? undefined : holders.get(id);
    if (of !== undefined) return { resource, kind: "duplicate", of };
    if (id !== undefined) holders.set(id, resource.name);
    const { realm, faults } = reader.read(resource.spec);
    if (realm === undefined) return { resource, kind: "invalid", faults };
    if (accepted === TENANTS_MOST) return { resource, kind: "too-many" };
    const { issuer, tenantClaim } = realm;
    const first = firstOfIssuer.get(issuer) ?? { name: resource.name, tenantClaim };
    if (first.tenantClaim !== tenantClaim) return { resource, kind: "invalid", faults: [otherClaim(first)] };
    firstOfIssuer.set(issuer, first);
    accepted++;
    return { resource, kind: "accepted", realm };
  });
}

function otherClaim(first: { readonly name: string; readonly tenantClaim: string }): EntryFault {
  const rule = `tokens of its issuer name the tenant in ${shown(first.tenantClaim)}`;
  const text = `differs from the claim of the older SvcTenant ${first.name}: ${rule}. Use that claim.`;
  return { member: "oidc.tenantClaim", text };
}

/**
 * Caches the validation results of a collection. They are computed again only when something they depend on changed: every
 * status write of thousands of resources is sent to every controller.
 */
export class ValidationResults {
  readonly #collection: Collection;
  readonly #reader: EntryReader;
  #list: readonly ValidationResult[] = [];
  /** Revision of the collection when they were computed; undefined: never. */
  #revision: number | undefined;
  /** Resources may have a newer status than in the list. */
  #isStale = false;

  constructor(collection: Collection, reader: EntryReader) {
    this.#collection = collection;
    this.#reader = reader;
  }

  /** The last results, with the current resources. */
  get list(): readonly ValidationResult[] {
    if (this.#isStale) this.#list = this.#list.map((result) => this.#renewed(result));
    this.#isStale = false;
    return this.#list;
  }

  /**
   * Called when the collection changed. Returns the previous results if they were computed again; undefined if none
   * changed.
   */
  refresh(): readonly ValidationResult[] | undefined {
    const { revision, resources } = this.#collection;
    this.#isStale = revision === this.#revision;
    if (this.#isStale) return undefined;
    const before = this.#list;
    this.#revision = revision;
    this.#list = judge(resources, this.#reader);
    return before;
  }

  #renewed(result: ValidationResult): ValidationResult {
    const resource = this.#collection.get(result.resource.name);
    return resource === undefined || resource === result.resource ? result : { ...result, resource };
  }
}

/** Returns what is wrong with a resource, one sentence per fault. */
export function describe(refusal: Refusal): readonly string[] {
  switch (refusal.kind) {
    case "invalid":
      return refusal.faults.map(({ member, text }) => `${member === "" ? "spec" : member} ${text}`);
    case "duplicate":
      return [
        `tenantId is already used by the older SvcTenant ${refusal.of}, which takes precedence. Delete one of them.`,
      ];
    default:
      return [`There are more than ${TENANTS_MOST} tenants; only the older ones are in force.`];
  }
}

/** Sorts by time of creation, then by name. */
function byAge(one: Resource, other: Resource): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? -1 : 1;
  return one.name < other.name ? -1 : Number(one.name > other.name);
}
