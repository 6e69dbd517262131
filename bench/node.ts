/**
 * A node whose scorer takes no time. It speaks the node protocol over gRPC like `svc node`, with a prepared plan and
 * prepared reports, so that only the controller and its store are measured.
 */
import { Connection } from "../src/client/connection/connection.ts";
import { NodeService, type WorkItem } from "../src/gen/proto/svc/v1/node_pb.ts";
import { type Report, reportsOf } from "../src/worker/report.ts";
import type { Film } from "./film.ts";
import { stillReports } from "./picture.ts";

const HEARTBEAT_MS = 3_000;
const WAIT_MS = 10_000;
/** Small, because the size of the images is not measured. */
const STILL_BYTES = 100;

/** The registration of a node for a film. */
export function registrationOf({ scorer, planned }: Film, slots: number) {
  const models = planned.models.map(({ name, digest }) => ({ name, digest }));
  return {
    name: "bench",
    slots,
    capabilities: { scorer: { ...scorer }, models, stills: true, version: "bench" },
  };
}

/** Returns the messages that complete a task of a film. */
export function reportsOn({ planned, reports }: Film, item: WorkItem): Iterable<Report> {
  const { work } = item;
  if (work.case === "stills") return stillReports(item, STILL_BYTES);
  if (work.case === "plan") return reportsOf({ kind: "PLANNED", planned });
  const made = work.case === "segment" ? reports.get(work.value.segment) : undefined;
  if (made === undefined) throw new Error("the task does not belong to the film");
  return made;
}

export class BenchNode implements Disposable {
  readonly #connection: Connection;
  readonly #film: Film;
  readonly #session: string;
  readonly #heartbeat: NodeJS.Timeout;
  /** The held segment of each film, by job. */
  readonly #kept = new Map<string, { itemId: string; attempt: number }>();

  private constructor(connection: Connection, film: Film, session: string) {
    this.#connection = connection;
    this.#film = film;
    this.#session = session;
    this.#heartbeat = setInterval(() => void this.#beat(), HEARTBEAT_MS);
  }

  /** Registers a node. `grpc` is "host:port" of the controller. */
  static async register(grpc: string, film: Film, slots: number): Promise<BenchNode> {
    const connection = new Connection({ address: grpc });
    const { session } = await connection.call(NodeService.method.registerNode, registrationOf(film, slots));
    return new BenchNode(connection, film, session);
  }

  /** Leases a task and reports it. Throws if there is none. */
  async cycle(): Promise<void> {
    await this.report(await this.pull());
  }

  /** Like cycle, but holds the first segment of each film, so that no film completes and is pooled meanwhile. */
  async cycleOfOpenFilm(): Promise<void> {
    const item = await this.pull();
    if (item.work.case === "plan" || this.#kept.has(item.jobId)) return this.report(item);
    this.#kept.set(item.jobId, { itemId: item.itemId, attempt: item.attempt });
    return this.cycleOfOpenFilm();
  }

  async pull(): Promise<WorkItem> {
    const request = { session: this.#session, waitMs: WAIT_MS };
    const { item } = await this.#connection.call(NodeService.method.pullWork, request);
    if (item === undefined) throw new Error("there are no tasks left");
    return item;
  }

  async report(item: WorkItem): Promise<void> {
    for (const report of reportsOn(this.#film, item)) {
      const request = { session: this.#session, itemId: item.itemId, attempt: item.attempt, report };
      await this.#connection.call(NodeService.method.reportResult, request);
    }
  }

  async #beat(): Promise<void> {
    await this.#connection.call(NodeService.method.heartbeat, {
      session: this.#session,
      running: [...this.#kept.values()],
    });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat);
    this.#connection[Symbol.dispose]();
  }
}
