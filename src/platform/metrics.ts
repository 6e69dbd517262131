/** The metrics' registry. Names and labels are listed in docs/metrics.md. */
import { collectDefaultMetrics, Registry } from "prom-client";

/** A registry of its own, with the process's metrics (CPU, memory, file descriptors, event loop) in it. */
export function openMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
