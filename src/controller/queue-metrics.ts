/** The queue in the metrics: what every controller saw of the whole of it at its last look. */
import { Gauge, type Registry } from "prom-client";
import { watchedGauge } from "../platform/metrics.ts";
import type { QueueView } from "./queue-look.ts";

/** `view`: undefined when nobody has looked of late; then there are no samples, which is not the same as 0. */
export function showQueue(registry: Registry, view: () => QueueView | undefined): void {
  const pending = new Gauge({
    name: "svc_work_pending",
    help: "Pieces of work that could be claimed now, of all tenants.",
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
    help: "How long the piece of work has waited that has waited longest for a node, since it could be claimed.",
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
  gauge("svc_work_leased", "Pieces of work that nodes have.", ({ leased }) => leased);
  gauge("svc_work_backing_off", "Pieces of work that wait for their next try.", (seen) => seen.backingOff);
  gauge("svc_work_look_cut", "1 while a look does not see all of the queue, else 0.", ({ cut }) =>
    Number(cut),
  );
}
