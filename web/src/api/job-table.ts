/** The jobs received from a stream so far, and the event to resume after. */
import type { components } from "../../../src/gen/rest/controller.ts";
import type { ServerEvent } from "./events.ts";
import { errorOf } from "./problem.ts";

type Schemas = components["schemas"];
type Job = Schemas["Job"];

export class JobTable {
  readonly #jobs = new Map<string, Job>();
  /** Jobs in the snapshot that is arriving; all other jobs are dropped when it ends. */
  #arrived: Set<string> | undefined;
  #place = "";
  #isWhole = false;

  /** A new array, in no particular order. */
  get jobs(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** Whether a whole snapshot has arrived, so that there are no other jobs. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The event to resume after; empty: the stream starts with a snapshot. */
  get place(): string {
    return this.#place;
  }

  /** Call when a new connection starts. */
  begin(): void {
    this.#arrived = undefined;
  }

  /** Throws ApiError if the controller ends the stream with an error. */
  apply({ name, id, data }: ServerEvent): void {
    const body: unknown = JSON.parse(data);
    if (name === "error") throw errorOf(statusOf(body), body);
    const { job } = body as Schemas["JobEvent"];
    if (name === "snapshot" && job !== undefined) this.#arrive(job);
    else if (name === "snapshotEnd") this.#end();
    else if (name === "change" && job !== undefined) this.put(job);
    else if (name === "deleted" && job !== undefined) this.#jobs.delete(job.id);
    if (id !== undefined) this.#place = id;
  }

  /**
   * Stores a job unless a later revision is known: an event of the stream and a response can arrive in either
   * order.
   */
  put(job: Job): void {
    const known = this.#jobs.get(job.id);
    if (known === undefined || known.revision < job.revision) this.#jobs.set(job.id, job);
  }

  #arrive(job: Job): void {
    // An interrupted snapshot is requested again from its start.
    if (this.#arrived === undefined) this.#place = "";
    this.#arrived ??= new Set();
    this.#arrived.add(job.id);
    this.#jobs.set(job.id, job);
  }

  #end(): void {
    for (const id of this.#jobs.keys()) if (!this.#arrived?.has(id)) this.#jobs.delete(id);
    this.#arrived = undefined;
    this.#isWhole = true;
  }
}

function statusOf(body: unknown): number {
  const { status } = (body ?? {}) as { readonly status?: unknown };
  return typeof status === "number" ? status : 0;
}
