/** Joins and pools jobs whose segments are all scored, a few at a time. */
import { toJsonString } from "@bufbuild/protobuf";
import type { EstimateInfo, SampleRequest } from "../../engine/contract/estimate.ts";
import type { ScoreResult, Warning } from "../../engine/contract/result.ts";
import { SegmentMismatch } from "../../engine/contract/segment-mismatch.ts";
import type { StoredPart } from "../../engine/contract/work.ts";
import { framesIn } from "../../engine/planning/plan.ts";
import { readPlan } from "../../engine/planning/plan-json.ts";
import { joinParts } from "../../engine/results/parts.ts";
import { assessSample, readUnits } from "../../engine/results/rounds.ts";
import { allFramesScored, tooImprecise } from "../../engine/results/sample.ts";
import { ScoreResultSchema } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { resultMessage } from "../../messages/result.ts";
import { pause } from "../../platform/concurrency/lifecycle.ts";
import { Failure } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import { currentSpan, inside, outside, PASSING, type Tracer } from "../../platform/observability/span.ts";
import type { JobEstimate } from "../../store/contract/job-records.ts";
import type { Store } from "../../store/contract/store.ts";
import {
  type FoundPart,
  POOL_HOLD_MS,
  type Poolable,
  type ScoredPart,
} from "../../store/contract/task-records.ts";
import { readFindings } from "../reports/findings.ts";
import { mediaFacts, newSegments } from "../reports/plan-report.ts";
import { readShots } from "../reports/shots.ts";
import { judged } from "../requests/gates.ts";
import { readSpec, sampleOf } from "../requests/job-spec.ts";
import type { ResultReader } from "../results/reader.ts";
import { isUnreadable, ScoreReader } from "../results/scores.ts";
import { worstFrames } from "../stills/worst-frames.ts";
import type { ControllerMetrics } from "../telemetry/metrics.ts";
import { poolSpan } from "../telemetry/tracing.ts";

/**
 * Concurrent poolings. Two, so that a film does not keep clips waiting; each holds its job's per-frame scores in
 * memory.
 */
const AT_ONCE = 2;
/**
 * Maximum unfinished poolings of a job. Without this limit, a job whose pooling crashes its controller would
 * crash every controller that takes it.
 */
const MAX_BEGUN = 3;
/** Further jobs are left to the maintenance task, which reads them from the store. */
const MAX_QUEUED = 64;
/** Milliseconds until holds are renewed. If a controller crashes, others take over its jobs when the hold expires. */
const HOLD_EVERY_MS = POOL_HOLD_MS / 3;
/** Milliseconds until a pooling is retried that failed because the store was unavailable. */
const RETRY_MS = 1_000;

export interface PoolingOptions {
  readonly store: Store;
  /** Reads scores that are in the results storage; a new job can share them with earlier ones. */
  readonly results: ResultReader;
  readonly log: Log;
  readonly metrics: ControllerMetrics;
  /**
   * Number of worst moments per job whose stills are made automatically; 0: none. Default: all that the result lists.
   */
  readonly worstStills?: number | undefined;
  /** Approximate duration of a segment of frames that are not in a sample. */
  readonly segmentSeconds: number;
  /** Default: one that records nothing. */
  readonly tracer?: Tracer;
}

export class Pooling {
  readonly #options: PoolingOptions;
  readonly #queue: Poolable[] = [];
  readonly #running = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  /** Whether the current pooling must run without any other. */
  #isAlone = false;
  /** Runs while there are jobs. */
  #holding: NodeJS.Timeout | undefined;

  constructor(options: PoolingOptions) {
    this.#options = options;
  }

  /** Number of further jobs that can be queued; beyond it, jobs are left to the maintenance task. */
  get room(): number {
    return this.#closing.signal.aborted ? 0 : MAX_QUEUED - this.#queue.length;
  }

  /** Queues a job for pooling, unless it is already queued or running. */
  readonly offer = (job: Poolable): void => outside(() => this.#offer(job));

  #offer(job: Poolable): void {
    const known = this.#running.has(job.id) || this.#queue.some(({ id }) => id === job.id);
    if (known) return;
    if (this.room <= 0) {
      void this.#hold([job.id], 0);
      return;
    }
    this.#queue.push(job);
    this.#holding ??= setInterval(() => void this.#hold(this.#ids, POOL_HOLD_MS), HOLD_EVERY_MS);
    this.#next();
  }

  /** Accepts no more jobs and waits for those that run. Queued jobs are left to other controllers or a later start. */
  async close(): Promise<void> {
    this.#closing.abort();
    const left = this.#ids;
    this.#queue.length = 0;
    await Promise.all(this.#running.values());
    clearInterval(this.#holding);
    await this.#hold(left, 0);
  }

  get #ids(): string[] {
    return [...this.#running.keys(), ...this.#queue.map(({ id }) => id)];
  }

  /** Never throws. If a hold expires, another controller may pool the job too, and the first to finish counts. */
  async #hold(ids: readonly string[], holdMs: number): Promise<void> {
    if (ids.length === 0) return;
    try {
      await this.#options.store.holdPoolable(ids, holdMs);
    } catch (err) {
      this.#options.log.debug({ err }, "failed to hold or release jobs for pooling");
    }
  }

  /**
   * A job whose earlier pooling did not finish runs alone: if it crashes the controller, no other job is affected or
   * counted.
   */
  #mayRun({ poolings }: Poolable): boolean {
    return this.#running.size < (poolings > 0 || this.#isAlone ? 1 : AT_ONCE);
  }

  #next(): void {
    for (let job = this.#queue[0]; job !== undefined && this.#mayRun(job); job = this.#queue[0]) {
      const { id, poolings } = job;
      this.#queue.shift();
      this.#isAlone = poolings > 0;
      const run = this.#traced(job).finally(() => {
        this.#running.delete(id);
        this.#next();
      });
      this.#running.set(id, run);
    }
    if (this.#running.size > 0) return;
    clearInterval(this.#holding);
    this.#holding = undefined;
  }

  async #traced(job: Poolable): Promise<void> {
    const span = poolSpan(this.#options.tracer ?? PASSING, job);
    await inside(span, () => this.#pool(job));
    span?.end();
  }

  /** Never throws. Retries while the store is unavailable, because nobody else takes a job that is held. */
  async #pool(job: Poolable): Promise<void> {
    const { log, metrics } = this.#options;
    const { signal } = this.#closing;
    let isBegun = false;
    for (;;) {
      const started = performance.now();
      try {
        if (job.poolings >= MAX_BEGUN) throw tooOften(job);
        isBegun ||= await this.#options.store.beginPooling(job.id, job.generation);
        if (!isBegun) return undefined;
        await this.#finish(job);
        metrics.pooling.observe((performance.now() - started) / 1000);
        return;
      } catch (thrown) {
        const failure = Failure.from(thrown);
        if (failure.kind !== "unavailable" || isUnreadable(failure)) return this.#fail(job, failure);
        log.warn({ jobId: job.id, err: failure }, "pooling failed; retrying");
        await pause(RETRY_MS, signal);
        if (signal.aborted) return undefined;
      }
    }
  }

  async #finish(job: Poolable): Promise<void> {
    const { store, results, metrics, worstStills } = this.#options;
    const scores = new ScoreReader(results, job.id);
    const parts = (await store.allParts(job.id, job.generation)).map((part) => partOf(part, scores));
    const result = await this.#resultOf(job, parts);
    if (result === undefined) return;
    const { score, frameCount, scorer } = result;
    const estimate = result.estimate && estimateOf(score, result.estimate);
    const stills = estimate === undefined ? worstFrames(result, parts, worstStills) : [];
    const text = toJsonString(ScoreResultSchema, resultMessage(result));
    const { id, generation } = job;
    const outcome = {
      score,
      frameCount,
      result: text,
      media: mediaFacts(result.distorted),
      scorer,
      estimate,
      stills,
      gates: judged(readSpec(job.spec), result),
    };
    if (!(await store.succeed(id, generation, outcome))) return;
    metrics.jobSucceeded(result, job.durationMs);
  }

  /** Returns the result of a job; undefined: its sample needs more frames, which are to be scored next. */
  async #resultOf(job: Poolable, parts: readonly Part[]): Promise<ScoreResult | undefined> {
    const { store, segmentSeconds } = this.#options;
    const { id, generation, plan, durationMs } = job;
    const request = sampleOf(readSpec(job.spec));
    const text = job.isSampled && request !== undefined ? await store.sampleUnits(id) : undefined;
    if (text === undefined || request === undefined)
      return joinParts(plan, parts, durationMs, wholeWarnings(plan, request));
    const facts = readPlan(plan);
    const longest = framesIn(segmentSeconds, facts);
    const sample = { plan, parts, units: readUnits(text), request, longest, durationMs };
    const assessed = await assessSample(sample);
    if ("result" in assessed) return assessed.result;
    const { segments, isRest } = assessed.round;
    await store.extend(id, generation, {
      segments: newSegments(segments, facts),
      isRest,
      estimate: assessed.mean,
    });
    return undefined;
  }

  async #fail(job: Poolable, failure: Failure): Promise<void> {
    const { store, log, metrics } = this.#options;
    const { code, message, found, cause } = failure;
    currentSpan()?.fail(code);
    try {
      // Segments with earlier scores are scored again rather than kept waiting for the results storage.
      const isScoredAgain = failure instanceof SegmentMismatch || isUnreadable(failure);
      const ready = isScoredAgain ? await store.restartWhole(job.id, job.generation) : undefined;
      if (ready !== undefined) {
        log.info(
          { jobId: job.id, reason: message },
          "segments do not fit together or cannot be read; scoring the whole video as one task",
        );
      } else {
        // This changes nothing for a job that has ended or been replanned.
        log.error({ jobId: job.id, code, err: cause ?? failure }, "pooling failed");
        const error = { code, message, ...(found && { found }) };
        if (await store.fail(job.id, job.generation, error)) metrics.jobFailed(code);
      }
    } catch (err) {
      log.warn(
        { jobId: job.id, err },
        "failed to record the outcome of a pooling; it is repeated when its hold expires",
      );
    }
  }
}

interface Part extends Omit<ScoredPart, "chunks">, Pick<StoredPart, "findings" | "shots"> {
  readonly chunks: AsyncIterable<Uint8Array>;
}

function partOf({ findings, shots, chunks, ...part }: FoundPart, scores: ScoreReader): Part {
  return {
    ...part,
    chunks: { [Symbol.asyncIterator]: () => scores.read(chunks) },
    ...(findings !== undefined && { findings: readFindings(findings) }),
    ...(shots !== undefined && { shots: readShots(shots) }),
  };
}

function estimateOf(score: number, { low, high, scoredShare }: EstimateInfo): JobEstimate {
  return { score, low, high, scoredShare };
}

/** Returns the warnings for a result of all frames that replaces a requested estimate. */
function wholeWarnings(plan: string, request: SampleRequest | undefined): readonly Warning[] {
  if (request === undefined) return [];
  return [allFramesScored(readPlan(plan).whole ?? tooImprecise(request))];
}

function tooOften({ poolings }: Poolable): Failure {
  return new Failure(
    "POOLING_FAILED",
    `Joining the scores was started ${poolings} times, and the controller stopped each time before it finished. Use fewer models, or score the pair in parts; the controllers' logs show why they stopped.`,
  );
}
