/** The metrics' registry. Names and labels are listed in docs/metrics.md. */
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";

/** A registry of its own, with the process's metrics (CPU, memory, file descriptors, event loop) in it. */
export function openMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** A gauge of what `value` says whenever the metrics are read; undefined: it has no sample, which is not the same as 0. */
export function watchedGauge(
  registry: Registry,
  name: string,
  help: string,
  value: () => number | undefined,
): void {
  const collect = function (this: Gauge): void {
    const seen = value();
    if (seen === undefined) this.remove();
    else this.set(seen);
  };
  registry.registerMetric(new Gauge({ name, help, registers: [], collect }));
}
