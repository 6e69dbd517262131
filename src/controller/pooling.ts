/** Joins and pools jobs whose every segment is scored, a few at a time. */
import { toJsonString } from "@bufbuild/protobuf";
import { CutFault } from "../engine/cut-fault.ts";
import { joinParts } from "../engine/parts.ts";
import { ScoreResultSchema } from "../gen/proto/svc/v1/scoring_pb.ts";
import { resultMessage } from "../messages/result.ts";
import { Failure } from "../platform/failure.ts";
import { pause } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import type { Poolable, Store } from "../store/store.ts";
import type { ControllerMetrics } from "./metrics.ts";

/** Two, so that a film does not keep clips waiting; each holds its job's values in memory. */
const AT_ONCE = 2;
/** More are left to the sweep, which takes them from the store. */
const MAX_QUEUED = 64;
/** Milliseconds until pooling is tried again that the store could not serve. */
const RETRY_MS = 1_000;

export interface PoolingOptions {
  readonly store: Store;
  readonly log: Log;
  readonly metrics: ControllerMetrics;
}

export class Pooling {
  readonly #options: PoolingOptions;
  readonly #queue: Poolable[] = [];
  readonly #running = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: PoolingOptions) {
    this.#options = options;
  }

  /** Jobs that can be offered before some are left to the sweep. */
  get room(): number {
    return this.#closing.signal.aborted ? 0 : MAX_QUEUED - this.#queue.length;
  }

  /** Pools a job soon; one that is queued already, once. */
  readonly offer = (job: Poolable): void => {
    const known = this.#running.has(job.id) || this.#queue.some(({ id }) => id === job.id);
    if (known || this.room <= 0) return;
    this.#queue.push(job);
    this.#next();
  };

  /** Takes no more, and waits for those that run; what is queued is left to other controllers and times. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#queue.length = 0;
    await Promise.all(this.#running.values());
  }

  #next(): void {
    while (this.#running.size < AT_ONCE) {
      const job = this.#queue.shift();
      if (job === undefined) return;
      const run = this.#pool(job).finally(() => {
        this.#running.delete(job.id);
        this.#next();
      });
      this.#running.set(job.id, run);
    }
  }

  /** Never throws. While the store is unavailable it is tried again and again: nobody else takes a job that is held. */
  async #pool(job: Poolable): Promise<void> {
    const { log, metrics } = this.#options;
    const { signal } = this.#closing;
    for (;;) {
      const started = performance.now();
      try {
        await this.#finish(job);
        metrics.pooling.observe((performance.now() - started) / 1000);
        return;
      } catch (thrown) {
        const failure = Failure.from(thrown);
        if (failure.kind !== "unavailable") return this.#fail(job, failure);
        log.warn({ jobId: job.id, err: failure }, "pooling is put off");
        await pause(RETRY_MS, signal);
        if (signal.aborted) return undefined;
      }
    }
  }

  async #finish(job: Poolable): Promise<void> {
    const { store, metrics } = this.#options;
    const parts = await store.allParts(job.id, job.generation);
    const result = await joinParts(job.plan, parts, job.durationMs);
    const text = toJsonString(ScoreResultSchema, resultMessage(result));
    if (!(await store.succeed(job.id, job.generation, result.score, result.frameCount, text))) return;
    store.announce({ kind: "events" });
    metrics.jobEnded("SUCCEEDED");
  }

  async #fail(job: Poolable, failure: Failure): Promise<void> {
    const { store, log, metrics } = this.#options;
    const { code, message, found, cause } = failure;
    try {
      const cut = failure instanceof CutFault;
      const ready = cut ? await store.restartWhole(job.id, job.generation) : undefined;
      if (ready !== undefined) {
        log.info({ jobId: job.id, reason: message }, "segments do not fit together: scoring in one piece");
        store.announce({ kind: "work", ready: [ready] });
      } else {
        // Of a job that has ended, or has another plan by now, nothing changes here either.
        log.error({ jobId: job.id, code, err: cause ?? failure }, "pooling failed");
        const error = { code, message, ...(found && { found }) };
        if (await store.fail(job.id, job.generation, error)) metrics.jobEnded("FAILED");
      }
      store.announce({ kind: "events" });
    } catch (err) {
      log.warn({ jobId: job.id, err }, "pooling is put off");
    }
  }
}
