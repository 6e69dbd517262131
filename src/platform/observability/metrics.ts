/** The metrics registry. docs/metrics.md lists names and labels. */
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";

/** Opens a registry with the metrics of the process (CPU, memory, file descriptors, event loop). */
export function openMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** A gauge that calls `value` when the metrics are read. undefined means no sample, which differs from 0. */
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
