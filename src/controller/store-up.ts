/** Whether the store answers: the one metric that a controller has from its start to its end. */
import { Gauge, type Registry } from "prom-client";

const NAME = "svc_store_up";

/** The gauge of a registry, which is made at 0: no store has answered yet. */
export function storeUp(registry: Registry): Gauge {
  const made = registry.getSingleMetric(NAME);
  if (made instanceof Gauge) return made;
  return new Gauge({
    name: NAME,
    help: "1 while the store answers this controller, else 0; also before it has answered at all.",
    registers: [registry],
  });
}
