/** What each SvcTenant of a namespace comes to, by all of them together. It depends on them as they are now, and on nothing before. */
import { idOf, TENANTS_MOST } from "../auth/registry.ts";
import {
  type EntryFault,
  type EntryOutcome,
  type EntryRules,
  readEntry,
  shown,
  type TenantRealm,
} from "../auth/registry-entry.ts";
import type { Collection } from "./collection.ts";
import type { Resource } from "./resource.ts";

export type Verdict = { readonly resource: Resource } & (
  | { readonly kind: "accepted"; readonly realm: TenantRealm }
  | { readonly kind: "invalid"; readonly faults: readonly EntryFault[] }
  /** `of`: name of the older resource of the same tenant, which counts. */
  | { readonly kind: "duplicate"; readonly of: string }
  | { readonly kind: "too-many" }
);

/** Of a resource that is not in force. */
export type Refusal = Exclude<Verdict, { kind: "accepted" }>;

/** Reads entries, each once as long as it stays the same object. */
export class EntryReader {
  readonly #rules: EntryRules;
  readonly #read = new WeakMap<object, EntryOutcome>();

  constructor(rules: EntryRules) {
    this.#rules = rules;
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
 * Of the oldest first. One that is being deleted is as if it were gone. A tenant's id is its oldest
 * resource's, also when that one is refused or disabled: a mistake in it hands the tenant to nobody.
 * The oldest one in force of an issuer says which claim names the tenant: a token would name two tenants
 * otherwise, and be refused, so that a later resource could shut the others out.
 */
export function judge(resources: Iterable<Resource>, reader: EntryReader): Verdict[] {
  const present = [...resources].filter(({ deleting }) => !deleting).sort(byAge);
  const holders = new Map<string, string>();
  const firstOfIssuer = new Map<string, { readonly name: string; readonly tenantClaim: string }>();
  let accepted = 0;
  return present.map((resource): Verdict => {
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
  const rule = `tokens of its issuer name their tenant in ${shown(first.tenantClaim)}`;
  const text = `is another claim than that of the older SvcTenant ${first.name}: ${rule}. Use that one.`;
  return { member: "oidc.tenantClaim", text };
}

/**
 * The verdicts on a collection as it changes. They are found again only when something did that they depend on: the
 * status of each of thousands is written, and each of these writes is told to every controller.
 */
export class Verdicts {
  readonly #collection: Collection;
  readonly #reader: EntryReader;
  #list: readonly Verdict[] = [];
  /** Of the collection when they were found; undefined: never. */
  #revision: number | undefined;
  /** Resources may have another status than in the list. */
  #isStale = false;

  constructor(collection: Collection, reader: EntryReader) {
    this.#collection = collection;
    this.#reader = reader;
  }

  /** As they were found last, on the resources as they are. */
  get list(): readonly Verdict[] {
    if (this.#isStale) this.#list = this.#list.map((verdict) => this.#renewed(verdict));
    this.#isStale = false;
    return this.#list;
  }

  /** The collection changed: those of before, when they were found again; undefined: each is as it was. */
  refresh(): readonly Verdict[] | undefined {
    const { revision, resources } = this.#collection;
    this.#isStale = revision === this.#revision;
    if (this.#isStale) return undefined;
    const before = this.#list;
    this.#revision = revision;
    this.#list = judge(resources, this.#reader);
    return before;
  }

  #renewed(verdict: Verdict): Verdict {
    const resource = this.#collection.get(verdict.resource.name);
    return resource === undefined || resource === verdict.resource ? verdict : { ...verdict, resource };
  }
}

/** What is wrong with it, one sentence for each fault. */
export function describe(refusal: Refusal): readonly string[] {
  switch (refusal.kind) {
    case "invalid":
      return refusal.faults.map(({ member, text }) => `${member === "" ? "spec" : member} ${text}`);
    case "duplicate":
      return [
        `tenantId is also that of the older SvcTenant ${refusal.of}, which counts. Delete one of them.`,
      ];
    default:
      return [`There are more than ${TENANTS_MOST} tenants, and older ones are in force.`];
  }
}

/** By time of creation, and by name where two are of one second. */
function byAge(one: Resource, other: Resource): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? -1 : 1;
  return one.name < other.name ? -1 : Number(one.name > other.name);
}
