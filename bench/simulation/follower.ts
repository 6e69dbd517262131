/** A client that follows every change of every job, resumes when its stream ends, and detects missing changes. */
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "../../src/client/connection/connection.ts";
import { type Job, JobService, StreamJobsResponse_Kind as Kind } from "../../src/gen/proto/svc/v1/job_pb.ts";

const AGAIN_MS = 200;

export class Follower implements AsyncDisposable {
  /** Resolves when the first stream has begun. */
  readonly begun: Promise<void>;
  changes = 0;
  /** Repeated or out-of-order changes. */
  repeated = 0;
  /** Revisions of jobs that were never received. */
  missed = 0;
  resumed = 0;
  readonly #stop = new AbortController();
  readonly #connection: Connection;
  readonly #revisions = new Map<string, number>();
  readonly #running: Promise<void>;
  #last = "";

  constructor(address: string) {
    this.#connection = new Connection({ address });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.begun = promise;
    this.#running = this.#follow(resolve);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#connection[Symbol.dispose]();
  }

  async #follow(begun: () => void): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const request = { afterEventId: this.#last };
        const stream = this.#connection.stream(JobService.method.streamJobs, request, { signal });
        for await (const { kind, eventId, job } of stream) {
          if (eventId !== "") this.#last = eventId;
          if (kind === Kind.SNAPSHOT_END) begun();
          if (kind === Kind.CHANGE && job !== undefined) this.#take(job);
        }
      } catch {
        if (signal.aborted) return;
        this.resumed++;
        await sleep(AGAIN_MS);
      }
    }
  }

  #take({ id, revision }: Job): void {
    const before = this.#revisions.get(id) ?? 0;
    this.changes++;
    if (revision <= before) this.repeated++;
    else this.missed += revision - before - 1;
    this.#revisions.set(id, Math.max(before, revision));
  }
}
