/** The registry of tenants in the SvcTenant resources of a namespace, followed while the process runs. */
import type { Registry } from "prom-client";
import type { Realms } from "../auth/realm.ts";
import type { EntryRules, TenantRealm } from "../auth/registry-entry.ts";
import { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/log.ts";
import type { ApiClient } from "./api-client.ts";
import type { ApiFault } from "./api-fault.ts";
import { Informer } from "./informer.ts";
import { SvcTenantsMetrics } from "./svc-tenants-metrics.ts";
import { describe, EntryReader, type Refusal, type Verdict, Verdicts } from "./verdicts.ts";

export const API_VERSION = "svc.dev/v1";

export function pathOfTenants(namespace: string): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/svctenants`;
}

export interface SvcTenantsOptions extends EntryRules {
  readonly client: ApiClient;
  readonly namespace: string;
  readonly log: Log;
  readonly registry: Registry;
  /** Called for each resource that came to something else, and not for the first list: FAULTY: it is not in force. */
  readonly changed?: (name: string, outcome: "OK" | "FAULTY") => void;
}

export class SvcTenants {
  /** Every tenant that is in force. Throws TENANTS_UNAVAILABLE until they are known for the first time. */
  readonly realms: Realms = () => {
    if (this.#realms !== undefined) return this.#realms;
    throw new Failure("TENANTS_UNAVAILABLE", "It is not known yet who the tenants are. Try again soon.");
  };
  readonly #options: SvcTenantsOptions;
  readonly #informer: Informer;
  readonly #metrics: SvcTenantsMetrics;
  readonly #listeners = new Set<() => void>();
  readonly #verdicts: Verdicts;
  #realms: readonly TenantRealm[] | undefined;
  /** What was logged of why they cannot be followed; empty: they are. */
  readonly #troubles = new Set<string>();

  constructor(options: SvcTenantsOptions) {
    this.#options = options;
    this.#metrics = new SvcTenantsMetrics(options.registry, () => this.verdicts);
    this.#informer = new Informer({
      client: options.client,
      path: pathOfTenants(options.namespace),
      changed: () => this.#take(),
      listed: () => this.#metrics.listed(),
      heard: () => this.#heard(),
      lost: (fault) => this.#lost(fault),
    });
    this.#verdicts = new Verdicts(this.#informer.collection, new EntryReader(options));
  }

  /** What each resource comes to, those that are not in force too. */
  get verdicts(): readonly Verdict[] {
    return this.#verdicts.list;
  }

  /** `listener` is called after every change, also of the status of a resource. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  start(): void {
    this.#informer.start();
  }

  /** Safe twice, and before the start. What was known stays in force. */
  async stop(): Promise<void> {
    await this.#informer.stop();
  }

  #take(): void {
    const before = this.#verdicts.refresh();
    if (before !== undefined) this.#judged(before);
    for (const listener of this.#listeners) listener();
  }

  #judged(before: readonly Verdict[]): void {
    const isFirst = this.#realms === undefined;
    const realms = this.verdicts.flatMap((verdict) => (verdict.kind === "accepted" ? [verdict.realm] : []));
    // Who holds tokens against it goes by the list itself: a new one only when there is something new in it.
    if (this.#realms === undefined || !sameItems(this.#realms, realms)) this.#realms = realms;
    this.#tell(before, isFirst);
  }

  #tell(before: readonly Verdict[], isFirst: boolean): void {
    const { log, namespace } = this.#options;
    const known = new Map(before.map((verdict) => [verdict.resource.name, verdict]));
    for (const verdict of this.verdicts) {
      const { name } = verdict.resource;
      const isSame = sameVerdict(known.get(name), verdict);
      known.delete(name);
      if (isSame) continue;
      if (verdict.kind !== "accepted") this.#refuse(verdict);
      if (isFirst) continue;
      const facts = { namespace, name, tenants: this.#count };
      if (verdict.kind === "accepted") log.info(facts, "a SvcTenant was taken");
      this.#changed(name, verdict.kind === "accepted" ? "OK" : "FAULTY");
    }
    for (const name of known.keys()) {
      log.info({ namespace, name, tenants: this.#count }, "a SvcTenant is gone");
      this.#changed(name, "OK");
    }
    if (isFirst) log.info({ namespace, tenants: this.#count }, "the SvcTenants were loaded");
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
    log.error(facts, "a SvcTenant is not in force; the others are");
  }

  #heard(): void {
    this.#metrics.heard();
    if (this.#troubles.size === 0) return;
    this.#troubles.clear();
    this.#options.log.info({ namespace: this.#options.namespace }, "the SvcTenants are followed again");
  }

  /** Logged once for each reason until they are followed again, however often it is tried. */
  #lost(fault: ApiFault): void {
    this.#metrics.lost(fault.reason);
    // What lies too far back is listed anew at once.
    const isMinor = fault.reason === "gone" && this.#realms !== undefined;
    const trouble = `${fault.reason} ${this.#realms === undefined}`;
    if (isMinor || this.#troubles.has(trouble)) return;
    this.#troubles.add(trouble);
    const { log, namespace } = this.#options;
    const facts = { namespace, reason: fault.message, ...adviceOn(fault) };
    if (this.#realms === undefined)
      log.error(facts, "the SvcTenants are not known yet: no token is taken; trying again");
    else
      log.warn(
        { ...facts, tenants: this.#count },
        "the SvcTenants cannot be followed: they stay as they were",
      );
  }
}

/** What an operator of the cluster can do about it. */
function adviceOn({ reason }: ApiFault): { readonly advice?: string } {
  switch (reason) {
    case "forbidden":
    case "unauthorized":
      return { advice: "Let the service account get, list and watch svctenants.svc.dev in the namespace." };
    case "not_found":
      return { advice: "Install the CustomResourceDefinition svctenants.svc.dev." };
    default:
      return {};
  }
}

function sameVerdict(before: Verdict | undefined, now: Verdict): boolean {
  if (before?.kind !== now.kind || before.resource.spec !== now.resource.spec) return false;
  return before.kind !== "duplicate" || (now.kind === "duplicate" && before.of === now.of);
}

function sameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
