/** Submits jobs at a steady rate, each with its own pair, and measures how long each waits until a node plans it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "../../src/client/connection/connection.ts";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { Pair } from "../client.ts";
import type { Calls } from "./calls.ts";

const AGAIN_MS = 500;

export class Submitter implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #pair: Pair;
  readonly #calls: Calls;
  readonly #stop = new AbortController();
  readonly #ids = new Set<string>();
  /** When jobs that no node has started were accepted, by pair. */
  readonly #waiting = new Map<string, number>();
  #running: Promise<void> = Promise.resolve();
  /** Jobs accepted a second time: they were stored, but the response was lost. */
  repeated = 0;

  constructor(connection: Connection, pair: Pair, calls: Calls) {
    this.#connection = connection;
    this.#pair = pair;
    this.#calls = calls;
  }

  get ids(): ReadonlySet<string> {
    return this.#ids;
  }

  start(jobsPerSecond: number): void {
    this.#running = this.#keepOn(1_000 / jobsPerSecond);
  }

  /** Records that a node has started to plan a pair. */
  readonly planning = (distorted: string): void => {
    const accepted = this.#waiting.get(distorted);
    if (accepted === undefined) return;
    this.#waiting.delete(distorted);
    this.#calls.answered("grant", performance.now() - accepted);
  };

  /** Resolves when every started submission is accepted. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Submits by the clock, so that slow responses do not slow down the flow. */
  async #keepOn(everyMs: number): Promise<void> {
    const began = performance.now();
    const jobs: Promise<void>[] = [];
    for (let number = 0; !this.#stop.signal.aborted; number++) {
      await sleep(Math.max(0, began + number * everyMs - performance.now()));
      jobs.push(this.#submit(number));
    }
    await Promise.all(jobs);
  }

  /** Submits a job until it is accepted; the idempotency key makes it the same job. */
  async #submit(number: number): Promise<void> {
    const { reference } = this.#pair;
    const distorted = `${this.#pair.distorted}.${number}`;
    const request = { job: { reference, distorted }, idempotencyKey: `simulated-${number}` };
    this.#waiting.set(distorted, performance.now());
    for (;;) {
      try {
        const { job, existed } = await this.#connection.call(JobService.method.submitJob, request);
        if (job === undefined) throw new Error("the response has no job");
        this.#ids.add(job.id);
        if (existed) this.repeated++;
        return;
      } catch {
        await sleep(AGAIN_MS);
      }
    }
  }
}
