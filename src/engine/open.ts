/** Opens the engine: finds its programs, and scores pairs with them. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { Failure } from "../platform/failure.ts";
import { toResult } from "./assemble.ts";
import type { Engine, EngineOptions, ScoreOptions } from "./engine.ts";
import { findTools, type Tools } from "./find.ts";
import { DEFAULT_TIMEOUT_MS } from "./limits.ts";
import { availableModels, type Model, resolveModels } from "./models.ts";
import { plan } from "./plan.ts";
import type { PairRequest, Side } from "./request.ts";
import { type Scored, scorePlan } from "./score.ts";
import { openSource, type Source } from "./source.ts";

/** Finds and proves the scoring executable. Throws SCORER_NOT_FOUND when there is none. */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const modelDir = options.modelDir === undefined ? undefined : resolve(options.modelDir);
  const tools = await findTools(options.scorerPath, options.searchPath ?? "");
  const builtIn = (names: readonly string[]) => tools.scorer.hasModels(names);
  return {
    scorer: tools.scorer.info,
    models: () => availableModels(modelDir, builtIn),
    score: async (request, scoreOptions = {}) => {
      const started = performance.now();
      using deadline = new Deadline(scoreOptions);
      const models = await resolveModels(request.models, modelDir, builtIn);
      const scored = await scoreFiles(request, models, { ...options, ...scoreOptions }, tools, deadline);
      return toResult(scored, tools.scorer.info, performance.now() - started);
    },
  };
}

async function scoreFiles(
  request: PairRequest,
  models: readonly Model[],
  options: EngineOptions & ScoreOptions,
  { scorer, ffmpeg, isolation }: Tools,
  deadline: Deadline,
): Promise<Scored> {
  const sources = await openSources(request, options);
  try {
    const context = {
      ffmpeg,
      isolation,
      signal: deadline.signal,
      models,
      segmentFrames: options.segmentFrames,
    };
    const planned = await plan(sources, request, context);
    const scored = await scorePlan(planned, sources, {
      ...context,
      scorer,
      threads: options.threads ?? availableParallelism(),
      timeoutMs: deadline.timeoutMs,
      onProgress: options.onProgress,
    });
    await Promise.all([sources.reference.verifyUnchanged(), sources.distorted.verifyUnchanged()]);
    return scored;
  } finally {
    await Promise.all([sources.reference.close(), sources.distorted.close()]);
  }
}

async function openSources(
  request: PairRequest,
  options: EngineOptions,
): Promise<Readonly<Record<Side, Source>>> {
  const reference = await openSource("reference", request.reference, options.mediaRoots);
  try {
    return { reference, distorted: await openSource("distorted", request.distorted, options.mediaRoots) };
  } catch (error) {
    await reference.close();
    throw error;
  }
}

/** Longer timers fire at once: the longest is 25 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The caller's signal and the time limit as one signal, whose reason is the Failure to throw. */
class Deadline implements Disposable {
  readonly timeoutMs: number;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor({ signal, timeoutMs = DEFAULT_TIMEOUT_MS }: ScoreOptions) {
    this.timeoutMs = timeoutMs;
    this.#caller = signal;
    this.#timer = setTimeout(
      () => {
        const seconds = Math.round(timeoutMs / 100) / 10;
        this.#controller.abort(
          new Failure("SCORE_TIMEOUT", `The score was not done after ${seconds} s, its time limit.`),
        );
      },
      Math.min(timeoutMs, MAX_TIMER_MS),
    );
    if (signal?.aborted) this.#cancel();
    else signal?.addEventListener("abort", this.#cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#cancel);
  }

  readonly #cancel = (): void => {
    this.#controller.abort(new Failure("SCORE_CANCELLED", "The score was cancelled."));
  };
}
