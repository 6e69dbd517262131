/** Whether the store answers. The only metric that exists from the start of a controller to its end. */
import { Gauge, type Registry } from "prom-client";

const NAME = "svc_store_up";

/** Returns the registry's gauge; creates it at 0 because the store has not answered yet. */
export function storeUp(registry: Registry): Gauge {
  const existing = registry.getSingleMetric(NAME);
  if (existing instanceof Gauge) return existing;
  return new Gauge({
    name: NAME,
    help: "1 while the store answers this controller, else 0; 0 until its first answer.",
    registers: [registry],
  });
}
