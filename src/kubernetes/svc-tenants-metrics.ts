/** The metrics of tenants that are SvcTenant resources. */
import { Counter, Gauge, type Registry } from "prom-client";
import { reloadsCounter, showTenants } from "../auth/tenants/metrics.ts";
import { watchedGauge } from "../platform/observability/metrics.ts";
import { FAULT_REASONS, type FaultReason } from "./api-fault.ts";
import type { ValidationResult } from "./validation-results.ts";

const REFUSED = ["invalid", "duplicate", "too-many"] as const;

export class SvcTenantsMetrics {
  readonly #reloads: Counter<"outcome">;
  readonly #failures: Counter<"reason">;
  readonly #synced: Gauge;
  /** By the clock of this process. */
  #heardAt: number | undefined;

  constructor(registry: Registry, results: () => readonly ValidationResult[]) {
    const registers = [registry];
    this.#reloads = reloadsCounter(registry, ["loaded", "faulty"]);
    this.#failures = new Counter({
      name: "svc_tenants_watch_failures_total",
      help: "Failed lists and watches of SvcTenants, by reason.",
      labelNames: ["reason"],
      registers,
    });
    for (const reason of FAULT_REASONS) this.#failures.inc({ reason }, 0);
    this.#synced = new Gauge({
      name: "svc_tenants_synced",
      help: "1 while changes of SvcTenants are received from the API server, else 0; the known tenants stay in force.",
      registers,
    });
    this.#synced.set(0);
    const age = "Seconds since the API server last confirmed the known tenants.";
    watchedGauge(registry, "svc_tenants_age_seconds", age, () => this.#seconds());
    showTenants(registry, () => results().filter(({ kind }) => kind === "accepted").length);
    registry.registerMetric(refused(results));
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

  onChange(): void {
    this.#heardAt = performance.now();
    this.#synced.set(1);
  }

  lost(reason: FaultReason): void {
    this.#failures.inc({ reason });
    this.#synced.set(0);
  }
}

function refused(results: () => readonly ValidationResult[]): Gauge {
  return new Gauge({
    name: "svc_tenants_refused",
    help: "SvcTenants that are not in force, by reason.",
    labelNames: ["reason"],
    registers: [],
    collect() {
      for (const reason of REFUSED)
        this.set({ reason }, results().filter(({ kind }) => kind === reason).length);
    },
  });
}
