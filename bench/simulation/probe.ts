/** Probes the latency of a controller periodically. */
import { setTimeout as sleep } from "node:timers/promises";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { NodeService } from "../../src/gen/proto/svc/v1/node_pb.ts";
import type { Film } from "../film.ts";
import { registrationOf } from "../node.ts";
import { type Calls, CountedConnection } from "./calls.ts";

const EVERY_MS = 2_000;
const PAGE = 50;

/**
 * A draining node, whose heartbeats are not held, and a reader of the newest jobs. Its calls are counted in `calls` by
 * method name.
 */
export class Probe implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #connection: CountedConnection;
  readonly #running: Promise<void>;

  private constructor(connection: CountedConnection, session: string) {
    this.#connection = connection;
    this.#running = this.#ask(session);
  }

  static async open(address: string, film: Film, calls: Calls): Promise<Probe> {
    const connection = new CountedConnection(address, calls);
    const node = { ...registrationOf(film, 1), name: `probe of ${address}` };
    const { session } = await connection.call(NodeService.method.registerNode, node);
    return new Probe(connection, session);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#connection[Symbol.dispose]();
  }

  async #ask(session: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#connection.call(NodeService.method.heartbeat, { session, draining: true });
        await this.#connection.call(JobService.method.listJobs, { pageSize: PAGE });
      } catch {
        // The failure is counted; the next call shows whether it lasts.
      }
      await sleep(EVERY_MS);
    }
  }
}
