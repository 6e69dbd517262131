/** The tenant registry from the SvcTenant resources of a namespace, followed while the process runs. */
import type { Registry } from "prom-client";
import type { Realms } from "../auth/tenants/realm.ts";
import type { EntryRules, TenantRealm } from "../auth/tenants/registry-entry.ts";
import { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/observability/log.ts";
import type { ApiClient } from "./api-client.ts";
import type { ApiFault } from "./api-fault.ts";
import { Informer } from "./informer.ts";
import { SvcTenantsMetrics } from "./svc-tenants-metrics.ts";
import {
  acceptedRealms,
  describe,
  EntryReader,
  type Refusal,
  type ValidationResult,
  ValidationResults,
} from "./validation-results.ts";

export const API_VERSION = "svc.dev/v1";

export function pathOfTenants(namespace: string): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/svctenants`;
}

export interface SvcTenantsOptions extends EntryRules {
  readonly client: ApiClient;
  readonly namespace: string;
  readonly log: Log;
  readonly registry: Registry;
  /**
   * Called for each resource whose outcome changed, except for the first list. FAULTY: the resource is not in force.
   */
  readonly changed?: (name: string, outcome: "OK" | "FAULTY") => void;
}

export class SvcTenants {
  /** Returns every tenant in force. Throws TENANTS_UNAVAILABLE until the first list. */
  readonly realms: Realms = () => {
    if (this.#realms !== undefined) return this.#realms;
    throw new Failure("TENANTS_UNAVAILABLE", "The tenants are not loaded yet. Try again soon.");
  };
  readonly #options: SvcTenantsOptions;
  readonly #informer: Informer;
  readonly #metrics: SvcTenantsMetrics;
  readonly #listeners = new Set<() => void>();
  readonly #results: ValidationResults;
  #realms: readonly TenantRealm[] | undefined;
  /** Reasons for which following failed and which were logged; empty: the resources are followed. */
  readonly #troubles = new Set<string>();

  constructor(options: SvcTenantsOptions) {
    this.#options = options;
    this.#metrics = new SvcTenantsMetrics(options.registry, () => this.results);
    this.#informer = new Informer({
      client: options.client,
      path: pathOfTenants(options.namespace),
      changed: () => this.#take(),
      listed: () => this.#metrics.listed(),
      onChange: () => this.#onChange(),
      lost: (fault) => this.#lost(fault),
    });
    this.#results = new ValidationResults(this.#informer.collection, new EntryReader(options));
  }

  /** The outcome of each resource, including those that are not in force. */
  get results(): readonly ValidationResult[] {
    return this.#results.list;
  }

  /** `listener` is called after every change, including a changed status of a resource. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  start(): void {
    this.#informer.start();
  }

  /** Idempotent; may be called before the start. The known tenants stay in force. */
  async stop(): Promise<void> {
    await this.#informer.stop();
  }

  #take(): void {
    const before = this.#results.refresh();
    if (before !== undefined) this.#apply(before);
    for (const listener of this.#listeners) listener();
  }

  #apply(before: readonly ValidationResult[]): void {
    const isFirst = this.#realms === undefined;
    const realms = acceptedRealms(this.results);
    // Token checks compare the list by identity, so it is replaced only if its content changed.
    if (this.#realms === undefined || !sameItems(this.#realms, realms)) this.#realms = realms;
    this.#logChanges(before, isFirst);
  }

  #logChanges(before: readonly ValidationResult[], isFirst: boolean): void {
    const { log, namespace } = this.#options;
    const known = new Map(before.map((result) => [result.resource.name, result]));
    for (const result of this.results) {
      const { name } = result.resource;
      const isSame = sameResult(known.get(name), result);
      known.delete(name);
      if (isSame) continue;
      if (result.kind !== "accepted") this.#refuse(result);
      if (isFirst) continue;
      const facts = { namespace, name, tenants: this.#count };
      if (result.kind === "accepted") log.info(facts, "SvcTenant accepted");
      this.#changed(name, result.kind === "accepted" ? "OK" : "FAULTY");
    }
    for (const name of known.keys()) {
      log.info({ namespace, name, tenants: this.#count }, "SvcTenant deleted");
      this.#changed(name, "OK");
    }
    if (isFirst) log.info({ namespace, tenants: this.#count }, "SvcTenants loaded");
  }

  #changed(name: string, outcome: "OK" | "FAULTY"): void {
    this.#metrics.reloaded(outcome === "OK" ? "loaded" : "faulty");
    this.#options.changed?.(name, outcome);
  }

  get #count(): number {
    return this.#realms?.length ?? 0;
  }

  #refuse(refusal: Refusal): void {
    const { log, namespace } = this.#options;
    const facts = { namespace, name: refusal.resource.name, faults: describe(refusal) };
    log.error(facts, "SvcTenant rejected; the others stay in force");
  }

  #onChange(): void {
    this.#metrics.onChange();
    if (this.#troubles.size === 0) return;
    this.#troubles.clear();
    this.#options.log.info({ namespace: this.#options.namespace }, "SvcTenants are followed again");
  }

  /** Logs each reason once until the resources are followed again. */
  #lost(fault: ApiFault): void {
    this.#metrics.lost(fault.reason);
    // A version that is too old leads to a new list at once.
    const isMinor = fault.reason === "gone" && this.#realms !== undefined;
    const trouble = `${fault.reason} ${this.#realms === undefined}`;
    if (isMinor || this.#troubles.has(trouble)) return;
    this.#troubles.add(trouble);
    const { log, namespace } = this.#options;
    const facts = { namespace, reason: fault.message, ...adviceOn(fault) };
    if (this.#realms === undefined)
      log.error(facts, "failed to load the SvcTenants; no token is accepted; retrying");
    else
      log.warn(
        { ...facts, tenants: this.#count },
        "failed to follow the SvcTenants; the known ones stay in force; retrying",
      );
  }
}

/** Returns advice on a fault for the operator of the cluster. */
function adviceOn({ reason }: ApiFault): { readonly advice?: string } {
  switch (reason) {
    case "forbidden":
    case "unauthorized":
      return {
        advice: "Allow the service account to get, list and watch svctenants.svc.dev in the namespace.",
      };
    case "not_found":
      return { advice: "Install the CustomResourceDefinition svctenants.svc.dev." };
    default:
      return {};
  }
}

function sameResult(before: ValidationResult | undefined, now: ValidationResult): boolean {
  if (before?.kind !== now.kind || before.resource.spec !== now.resource.spec) return false;
  return before.kind !== "duplicate" || (now.kind === "duplicate" && before.of === now.of);
}

function sameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
