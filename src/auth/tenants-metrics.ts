/** The metrics of registered tenants, wherever they come from. */
import { Counter, type Registry } from "prom-client";
import { watchedGauge } from "../platform/metrics.ts";

/** `count`: how many tenants there are at the moment. */
export function showTenants(registry: Registry, count: () => number): void {
  watchedGauge(registry, "svc_tenants", "Tenants in the registry, those that are not enabled too.", count);
}

/** Counts changes of tenants; `outcomes`: all that can become of one. */
export function reloadsCounter(registry: Registry, outcomes: readonly string[]): Counter<"outcome"> {
  const reloads = new Counter({
    name: "svc_tenants_reloads_total",
    help: "Changes of tenants, by what became of them.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  for (const outcome of outcomes) reloads.inc({ outcome }, 0);
  return reloads;
}
