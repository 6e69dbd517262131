/** The jobs that a stream has told of so far, and where it is to be resumed. */
import type { components } from "../../../src/gen/rest/controller.ts";
import type { ServerEvent } from "./events.ts";
import { errorOf } from "./problem.ts";

type Schemas = components["schemas"];
type Job = Schemas["Job"];

export class JobTable {
  readonly #jobs = new Map<string, Job>();
  /** Those that the snapshot has told of which is just arriving; the others are gone when it has ended. */
  #told: Set<string> | undefined;
  #place = "";
  #isWhole = false;

  /** A new array, in no order. */
  get jobs(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** Whether a snapshot has arrived to its end: there are no jobs but these. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The event to resume after; empty: the stream begins with a snapshot. */
  get place(): string {
    return this.#place;
  }

  /** What is told from here on comes over another connection. */
  begin(): void {
    this.#told = undefined;
  }

  /** Throws ApiError: the controller ends the stream, and why. */
  apply({ name, id, data }: ServerEvent): void {
    const body: unknown = JSON.parse(data);
    if (name === "error") throw errorOf(statusOf(body), body);
    const { job } = body as Schemas["JobEvent"];
    if (name === "snapshot" && job !== undefined) this.#tell(job);
    else if (name === "snapshotEnd") this.#end();
    else if (name === "change" && job !== undefined) this.put(job);
    else if (name === "deleted" && job !== undefined) this.#jobs.delete(job.id);
    if (id !== undefined) this.#place = id;
  }

  /** A job from the stream or from an answer, unless a later state of it is known: the two overtake each other. */
  put(job: Job): void {
    const known = this.#jobs.get(job.id);
    if (known === undefined || known.revision < job.revision) this.#jobs.set(job.id, job);
  }

  #tell(job: Job): void {
    // A snapshot that breaks off is asked for again from its start.
    if (this.#told === undefined) this.#place = "";
    this.#told ??= new Set();
    this.#told.add(job.id);
    this.#jobs.set(job.id, job);
  }

  #end(): void {
    for (const id of this.#jobs.keys()) if (!this.#told?.has(id)) this.#jobs.delete(id);
    this.#told = undefined;
    this.#isWhole = true;
  }
}

function statusOf(body: unknown): number {
  const { status } = (body ?? {}) as { readonly status?: unknown };
  return typeof status === "number" ? status : 0;
}
