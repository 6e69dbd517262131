/** Many nodes in one process, each with its own connection, that wait for tasks like an idle `svc node`. */
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "../src/client/connection/connection.ts";
import { NodeService } from "../src/gen/proto/svc/v1/node_pb.ts";
import { Failure } from "../src/platform/failure.ts";
import type { Film } from "./film.ts";
import { inFlight } from "./flight.ts";
import { registrationOf } from "./node.ts";

/** As in session.ts and pulling.ts. */
const HOLD_MS = 10_000;
const WAIT_MS = 30_000;
const ANSWER_MS = 60_000;
const REGISTRATIONS = 32;

export class Fleet implements AsyncDisposable {
  heartbeats = 0;
  pulls = 0;
  /** Number of failed calls by error code. */
  readonly failures = new Map<string, number>();
  readonly #connections: Connection[] = [];
  readonly #stop = new AbortController();
  readonly #loops: Promise<void>[] = [];

  /** Registers nodes with the models of a film; they wait for tasks that never come. */
  static async start(grpc: string, film: Film, nodes: number): Promise<Fleet> {
    const fleet = new Fleet();
    await inFlight(nodes, REGISTRATIONS, async (index) => {
      const connection = new Connection({ address: grpc });
      fleet.#connections.push(connection);
      const node = { ...registrationOf(film, 1), name: `idle-${index}` };
      const { session } = await connection.call(NodeService.method.registerNode, node, {
        timeoutMs: ANSWER_MS,
      });
      const { signal } = fleet.#stop;
      const options = { timeoutMs: ANSWER_MS, signal };
      fleet.#repeat(async () => {
        await connection.call(NodeService.method.heartbeat, { session, holdMs: HOLD_MS }, options);
        fleet.heartbeats++;
      });
      fleet.#repeat(async () => {
        await connection.call(NodeService.method.pullWork, { session, waitMs: WAIT_MS }, options);
        fleet.pulls++;
      });
    });
    return fleet;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
    for (const connection of this.#connections) connection[Symbol.dispose]();
  }

  #repeat(call: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      while (!this.#stop.signal.aborted) {
        try {
          await call();
        } catch (thrown) {
          if (this.#stop.signal.aborted) return;
          const { code } = Failure.from(thrown);
          this.failures.set(code, (this.failures.get(code) ?? 0) + 1);
          await sleep(1_000);
        }
      }
    };
    this.#loops.push(run());
  }
}
