/** The metrics of tenants that are resources. */
import { Counter, Gauge, type Registry } from "prom-client";
import { FAULT_REASONS, type FaultReason } from "./api-fault.ts";
import type { Verdict } from "./verdicts.ts";

const REFUSED = ["invalid", "duplicate", "too-many"] as const;

export class SvcTenantsMetrics {
  readonly #reloads: Counter<"outcome">;
  readonly #failures: Counter<"reason">;
  readonly #synced: Gauge;
  /** By the clock of this process. */
  #heardAt: number | undefined;

  constructor(registry: Registry, verdicts: () => readonly Verdict[]) {
    const registers = [registry];
    this.#reloads = new Counter({
      name: "svc_tenants_reloads_total",
      help: "Changes of tenants, by what became of them.",
      labelNames: ["outcome"],
      registers,
    });
    for (const outcome of ["loaded", "faulty"] as const) this.#reloads.inc({ outcome }, 0);
    this.#failures = new Counter({
      name: "svc_tenants_watch_failures_total",
      help: "Lists and watches of SvcTenants that failed, by why.",
      labelNames: ["reason"],
      registers,
    });
    for (const reason of FAULT_REASONS) this.#failures.inc({ reason }, 0);
    this.#synced = new Gauge({
      name: "svc_tenants_synced",
      help: "1 while the API server tells of every change of tenants, else 0: they stay as they were.",
      registers,
    });
    this.#synced.set(0);
    registry.registerMetric(this.#age());
    registry.registerMetric(tenants(verdicts));
    registry.registerMetric(refused(verdicts));
  }

  #age(): Gauge {
    const age = () => this.#seconds();
    return new Gauge({
      name: "svc_tenants_age_seconds",
      help: "Seconds since the API server last said that the tenants are as they are known.",
      registers: [],
      collect() {
        const seconds = age();
        if (seconds === undefined) this.remove();
        else this.set(seconds);
      },
    });
  }

  #seconds(): number | undefined {
    return this.#heardAt === undefined ? undefined : (performance.now() - this.#heardAt) / 1000;
  }

  reloaded(outcome: "loaded" | "faulty"): void {
    this.#reloads.inc({ outcome });
  }

  listed(): void {
    this.#heardAt = performance.now();
  }

  heard(): void {
    this.#heardAt = performance.now();
    this.#synced.set(1);
  }

  lost(reason: FaultReason): void {
    this.#failures.inc({ reason });
    this.#synced.set(0);
  }
}

function tenants(verdicts: () => readonly Verdict[]): Gauge {
  return new Gauge({
    name: "svc_tenants",
    help: "Tenants in the registry, those that are not enabled too.",
    registers: [],
    collect() {
      this.set(verdicts().filter(({ kind }) => kind === "accepted").length);
    },
  });
}

function refused(verdicts: () => readonly Verdict[]): Gauge {
  return new Gauge({
    name: "svc_tenants_refused",
    help: "SvcTenants that are not in force, by why.",
    labelNames: ["reason"],
    registers: [],
    collect() {
      for (const reason of REFUSED)
        this.set({ reason }, verdicts().filter(({ kind }) => kind === reason).length);
    },
  });
}
