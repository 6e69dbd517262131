/** Metrics of the queue, from the last read of this controller. Every controller covers the whole queue. */
import { Gauge, type Registry } from "prom-client";
import { watchedGauge } from "../../platform/observability/metrics.ts";
import type { QueueView } from "./queue-stats.ts";

/** `view`: undefined if there was no recent read; then there are no samples, which differs from 0. */
export function showQueue(registry: Registry, view: () => QueueView | undefined): void {
  const pending = new Gauge({
    name: "svc_work_pending",
    help: "Tasks that are claimable now, all tenants.",
    labelNames: ["kind", "scorer", "waits_for"],
    registers: [],
    collect() {
      this.reset();
      for (const { kind, scorer, waitsFor, count } of view()?.pending ?? [])
        this.set({ kind, scorer, waits_for: waitsFor }, count);
    },
  });
  const oldest = new Gauge({
    name: "svc_work_oldest_seconds",
    help: "Longest time that a task has waited for a node since it became claimable.",
    labelNames: ["kind"],
    registers: [],
    collect() {
      this.reset();
      for (const [kind, ms] of view()?.oldestMs ?? []) this.set({ kind }, ms / 1000);
    },
  });
  registry.registerMetric(pending);
  registry.registerMetric(oldest);
  const gauge = (name: string, help: string, count: (seen: QueueView) => number) =>
    watchedGauge(registry, name, help, () => {
      const seen = view();
      return seen && count(seen);
    });
  gauge("svc_work_leased", "Tasks leased to nodes now.", ({ leased }) => leased);
  gauge("svc_work_backing_off", "Tasks that wait for their next attempt.", (seen) => seen.backingOff);
  gauge(
    "svc_work_look_cut",
    "1 while the queue statistics do not cover the whole queue, else 0.",
    ({ cut }) => Number(cut),
  );
}
