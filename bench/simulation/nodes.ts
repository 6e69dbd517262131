/** Many nodes in one process, each like `svc node`, with its own connection and an engine that sleeps. */
import { Registry } from "prom-client";
import { openLog } from "../../src/platform/observability/log.ts";
import { NodeMetrics } from "../../src/worker/metrics.ts";
import { Node } from "../../src/worker/node.ts";
import { inFlight } from "../flight.ts";
import { anyOf, type Calls, CountedConnection } from "./calls.ts";
import type { SleepingEngine } from "./sleeping.ts";

const REGISTRATIONS = 16;
const TIMEOUT_MS = 600_000;

export class Nodes implements AsyncDisposable {
  /** Metrics of all nodes together. */
  readonly #registry = new Registry();
  readonly #nodes: Node[] = [];
  readonly #connections: CountedConnection[] = [];

  /** Starts `count` nodes with one slot, each at a random controller, and waits until all are registered. */
  static async start(
    controllers: readonly string[],
    count: number,
    engine: SleepingEngine,
    calls: Calls,
  ): Promise<Nodes> {
    const nodes = new Nodes();
    const metrics = new NodeMetrics(nodes.#registry);
    const log = openLog({ level: "silent", format: "json" });
    const opening = { started: Promise.resolve(), engine };
    await inFlight(count, REGISTRATIONS, async (index) => {
      const connection = new CountedConnection(anyOf(controllers), calls);
      const node = new Node({
        ...{ connection, opening, metrics, log, slots: 1, timeoutMs: TIMEOUT_MS },
        ...{
          name: `simulated-${index}`,
          version: "bench",
          mediaRoots: undefined,
          mediaCache: { directory: "/nonexistent", maxBytes: 0 },
        },
      });
      nodes.#connections.push(connection);
      nodes.#nodes.push(node);
      node.start();
      await node.started;
    });
    return nodes;
  }

  /** Returns the number of tasks by outcome: "3200 done, 1 stopped". */
  async outcomes(): Promise<string> {
    const counts = new Map<string, number>();
    const metric = await this.#registry.getSingleMetric("svc_node_items_total")?.get();
    for (const { labels, value } of metric?.values ?? []) {
      const outcome = String(labels["outcome"]);
      counts.set(outcome, (counts.get(outcome) ?? 0) + value);
    }
    return [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.stop()));
    for (const connection of this.#connections) connection[Symbol.dispose]();
  }
}
