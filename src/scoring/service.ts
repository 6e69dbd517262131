/**
 * The scoring service, called by every transport. It does validation, the concurrency limit, readiness,
 * draining, metrics and logging.
 */

import type { Diagnosis } from "../engine/contract/diagnosis.ts";
import type { PairRequest } from "../engine/contract/request.ts";
import type { Progress, ScoreResult, ScorerInfo } from "../engine/contract/result.ts";
import type { WorkOptions } from "../engine/contract/work.ts";
import type { Engine } from "../engine/engine.ts";
import type { DiagnoseRequest, ScoreRequest } from "../gen/proto/svc/v1/scoring_pb.ts";
import { diagnoseRequestOf, pairRequestOf } from "../messages/request.ts";
import { within } from "../platform/concurrency/lifecycle.ts";
import { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/observability/log.ts";
import type { ScoringMetrics } from "./metrics.ts";

/** Milliseconds to wait for an aborted scorer to exit: it is killed, not asked to exit. */
const ABORT_LIMIT_MS = 5_000;

/** The context of a request, the same for every transport. */
export interface CallContext {
  readonly requestId: string;
  /** Aborts when the caller disconnected or cancelled. */
  readonly signal: AbortSignal;
  /** Deadline of the caller in milliseconds from now; undefined: the limit of the service. */
  readonly timeoutMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface ScoringOptions {
  /** Throws SCORER_NOT_READY until the engine is open. */
  readonly engine: () => Engine;
  /** Limit of concurrent scores. */
  readonly concurrency: number;
  /** Wall-clock limit of one score, in milliseconds. */
  readonly timeoutMs: number;
  readonly metrics: ScoringMetrics;
  readonly log: Log;
}

export class ScoringService {
  readonly #options: ScoringOptions;
  readonly #abortAll = new AbortController();
  #running = 0;
  #draining = false;
  readonly #waitingForIdle: (() => void)[] = [];

  constructor(options: ScoringOptions) {
    this.#options = options;
  }

  /** Scores a pair. Throws Failure, and nothing else. */
  async score(request: ScoreRequest, context: CallContext): Promise<ScoreResult> {
    const log = this.#options.log.child({ requestId: context.requestId });
    try {
      const pair = pairRequestOf(request);
      const engine = this.#admit();
      const result = await this.#run(engine, pair, context, log);
      this.#options.metrics.scores.inc({ code: "OK" });
      return result;
    } catch (thrown) {
      const failure = this.#failureOf(thrown, context);
      this.#options.metrics.scores.inc({ code: failure.code });
      logFailure(log, failure, "score");
      throw failure;
    }
  }

  /**
   * Diagnoses how the videos of a pair relate. A diagnosis counts towards the limit of concurrent scores. Throws
   * Failure.
   */
  async diagnose(request: DiagnoseRequest, context: CallContext): Promise<Diagnosis> {
    const { metrics } = this.#options;
    const log = this.#options.log.child({ requestId: context.requestId });
    try {
      const pair = diagnoseRequestOf(request);
      const engine = this.#admit();
      const { reference, distorted } = pair;
      const diagnosis = await this.#occupying(() => engine.diagnose(pair, this.#limits(context)));
      const findings = diagnosis.findings.map(({ code }) => code);
      log.info({ reference, distorted, findings, durationMs: diagnosis.durationMs }, "diagnosis finished");
      metrics.diagnoses.inc({ code: "OK" });
      return diagnosis;
    } catch (thrown) {
      const failure = this.#failureOf(thrown, context);
      metrics.diagnoses.inc({ code: failure.code });
      logFailure(log, failure, "diagnosis");
      throw failure;
    }
  }

  /** Returns the scorer. Throws Failure if scores are not accepted now. */
  readiness(): ScorerInfo {
    if (this.#draining) throw new Failure("SHUTTING_DOWN", "The server is shutting down. Use another one.");
    return this.#options.engine().scorer;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Refuses new scores from now on; readiness reports it. */
  refuseNew(): void {
    this.#draining = true;
  }

  /** Waits for the running scores for at most `limitMs`, then aborts the rest. */
  async drain(limitMs: number): Promise<void> {
    this.refuseNew();
    if (await within(limitMs, () => this.#untilIdle())) return;
    this.#options.log.warn({ running: this.#running }, "drain timed out; aborting the running scores");
    await this.abort();
  }

  /** Kills every running scorer immediately and waits until their files are removed. */
  async abort(): Promise<void> {
    this.refuseNew();
    this.#abortAll.abort();
    await within(ABORT_LIMIT_MS, () => this.#untilIdle());
  }

  #admit(): Engine {
    this.readiness();
    const { concurrency } = this.#options;
    if (this.#running < concurrency) return this.#options.engine();
    throw new Failure(
      "TOO_MANY_SCORES",
      `${this.#running} scores are running, the limit of --concurrency. Try again later.`,
      { found: { running: this.#running, limit: concurrency } },
    );
  }

  async #run(engine: Engine, pair: PairRequest, context: CallContext, log: Log): Promise<ScoreResult> {
    const { metrics } = this.#options;
    const started = performance.now();
    let code = "OK";
    log.info({ reference: pair.reference, distorted: pair.distorted, models: pair.models }, "score started");
    try {
      const { onProgress } = context;
      const result = await this.#occupying(() =>
        engine.score(pair, { ...this.#limits(context), onProgress }),
      );
      metrics.frames.inc(result.frameCount);
      log.info(
        { score: result.score, frames: result.frameCount, durationMs: result.durationMs },
        "score finished",
      );
      return result;
    } catch (thrown) {
      code = this.#failureOf(thrown, context).code;
      throw thrown;
    } finally {
      metrics.duration.observe({ code }, (performance.now() - started) / 1000);
    }
  }

  /** Runs work that counts towards the limit of concurrent scores. */
  async #occupying<T>(work: () => Promise<T>): Promise<T> {
    const { metrics } = this.#options;
    metrics.running.set(++this.#running);
    try {
      return await work();
    } finally {
      metrics.running.set(--this.#running);
      if (this.#running === 0) for (const resolve of this.#waitingForIdle.splice(0)) resolve();
    }
  }

  #limits({ signal, timeoutMs = Number.POSITIVE_INFINITY }: CallContext): WorkOptions {
    return {
      signal: AbortSignal.any([signal, this.#abortAll.signal]),
      timeoutMs: Math.max(1, Math.min(this.#options.timeoutMs, timeoutMs)),
    };
  }

  /** Maps a score that was cancelled by the shutdown, not by the caller, to SHUTTING_DOWN. */
  #failureOf(thrown: unknown, context: CallContext): Failure {
    const failure = Failure.from(thrown);
    const ours = failure.kind === "cancelled" && !context.signal.aborted && this.#abortAll.signal.aborted;
    if (!ours) return failure;
    return new Failure("SHUTTING_DOWN", "The server shut down before the score was finished. Try again.", {
      cause: thrown,
    });
  }

  #untilIdle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#running === 0) resolve();
    else this.#waitingForIdle.push(resolve);
    return promise;
  }
}

function logFailure(log: Log, failure: Failure, what: "score" | "diagnosis"): void {
  const facts = { code: failure.code, detail: failure.message, found: failure.found };
  if (failure.kind === "internal") log.error({ ...facts, err: failure.cause ?? failure }, `${what} failed`);
  else log.info(facts, `${what} refused`);
}
