/** The metrics of registered tenants from any source. */
import { Counter, type Registry } from "prom-client";
import { watchedGauge } from "../../platform/observability/metrics.ts";

/** `count` returns the current number of tenants. */
export function showTenants(registry: Registry, count: () => number): void {
  watchedGauge(registry, "svc_tenants", "Tenants in the registry, including disabled ones.", count);
}

/** Counts changes of tenants; `outcomes` are all possible outcomes. */
export function reloadsCounter(registry: Registry, outcomes: readonly string[]): Counter<"outcome"> {
  const reloads = new Counter({
    name: "svc_tenants_reloads_total",
    help: "Changes of the tenant registry by outcome.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  for (const outcome of outcomes) reloads.inc({ outcome }, 0);
  return reloads;
}
