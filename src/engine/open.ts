/** Opens the engine: finds its programs, and plans and scores pairs with them. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { PairRequest } from "./contract/request.ts";
import type { Progress, ScoreResult, ScorerInfo } from "./contract/result.ts";
import type {
  ModelId,
  PlannedPair,
  SegmentOptions,
  SegmentScored,
  SegmentWork,
  Still,
  StillsWork,
  WorkOptions,
} from "./contract/work.ts";
import type { Engine, EngineOptions, ScoreOptions } from "./engine.ts";
import { openSource, type Sources } from "./files/source.ts";
import { wholeSegment } from "./planning/cut.ts";
import {
  asRequested,
  availableModels,
  type BuiltIn,
  findModels,
  modelIds,
  type RequestedModel,
} from "./planning/models.ts";
import { plan } from "./planning/plan.ts";
import { readPlan, readSegment, writePlan, writeSegment } from "./planning/plan-json.ts";
import { plannedModels, refuseOtherRequest, refuseOtherScorer, resumePlan } from "./planning/resume.ts";
import { toResult } from "./results/assemble.ts";
import { Deadline } from "./sandbox/deadline.ts";
import { findTools, type Tools } from "./scoring/find.ts";
import { ProgressMeter } from "./scoring/progress.ts";
import { type RunOptions, scoreCut, scorePlan, scoreWhole } from "./scoring/score.ts";
import { canMakeStills, makeStills } from "./stills/still.ts";

/** Finds and tests the scoring executable. Throws SCORER_NOT_FOUND if there is none. */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const modelDir = options.modelDir === undefined ? undefined : resolve(options.modelDir);
  const tools = await findTools(options.scorerPath, options);
  return new OpenEngine({ ...options, modelDir }, tools);
}

/** Why a job's pair is scored whole although its plan has segments. */
const SEGMENTS_FAILED = "The segments, scored separately, did not match the plan.";

class OpenEngine implements Engine {
  readonly #options: EngineOptions;
  readonly #tools: Tools;
  readonly #builtIn: BuiltIn;

  constructor(options: EngineOptions, tools: Tools) {
    this.#options = options;
    this.#tools = tools;
    this.#builtIn = (names) => tools.scorer.hasModels(names);
  }

  get scorer(): ScorerInfo {
    return this.#tools.scorer.info;
  }

  models(): Promise<readonly string[]> {
    return availableModels(this.#options.modelDir, this.#builtIn);
  }

  modelIds(): Promise<readonly ModelId[]> {
    return modelIds(this.#options.modelDir, this.#builtIn);
  }

  async score(request: PairRequest, options: ScoreOptions = {}): Promise<ScoreResult> {
    const started = performance.now();
    using deadline = new Deadline(options);
    const models = await findModels(request.models, this.#options.modelDir, this.#builtIn);
    const length = options.segmentFrames === undefined ? undefined : { frames: options.segmentFrames };
    const run = this.#run(models, deadline, options.onProgress);
    const scored = await this.#withSources(request, options, async (sources) => {
      const planned = await plan(sources, request, { ...run, segmentLength: length });
      const { reference, distorted } = sources;
      return { ...(await scorePlan(planned, sources, run)), files: { reference, distorted } };
    });
    const { features } = request;
    const finished = { ...scored.plan, files: scored.files, features, segments: scored.plan.segments.length };
    return await toResult({ ...finished, table: scored.table }, this.scorer, performance.now() - started);
  }

  async plan(
    request: PairRequest,
    options: WorkOptions & { readonly segmentSeconds: number },
  ): Promise<PlannedPair> {
    using deadline = new Deadline(options);
    const models = await findModels(request.models, this.#options.modelDir, this.#builtIn);
    const segmentLength = { seconds: options.segmentSeconds };
    return await this.#withSources(request, options, async (sources) => {
      const planned = await plan(sources, request, { ...this.#run(models, deadline), segmentLength });
      const { pairing, segments } = planned;
      return {
        plan: writePlan(planned, sources, this.scorer),
        segments: segments.map((segment) => ({
          first: segment.first,
          count: segment.count,
          segment: writeSegment(segment),
        })),
        frameCount: pairing.frameCount,
        pixels: pairing.width * pairing.height,
        models: planned.models.map(({ name, digest }) => ({ name, digest })),
      };
    });
  }

  async scoreSegment(work: SegmentWork, options: SegmentOptions = {}): Promise<SegmentScored> {
    const started = performance.now();
    using deadline = new Deadline(options);
    const { request } = work;
    const facts = readPlan(work.plan);
    const segment = work.segment === undefined ? wholeSegment(facts.pairing) : readSegment(work.segment);
    refuseOtherScorer(facts, this.scorer);
    refuseOtherRequest(facts, request);
    const models = await plannedModels(facts, this.#options.modelDir, this.#builtIn);
    const report = ({ framesDone }: Progress): void => options.onFrames?.(framesDone);
    const run = this.#run(models.map(asRequested), deadline, report);
    return await this.#withSources(request, options, async (sources) => {
      const resumed = await resumePlan(facts, segment, request, sources, models);
      if (segment.cut !== undefined) {
        const meter = new ProgressMeter(segment.count, report);
        const table = await scoreCut(resumed, segment, sources, run, meter);
        return { table, durationMs: performance.now() - started, plan: undefined, frameCount: undefined };
      }
      const why = work.segment === undefined ? (resumed.whole ?? SEGMENTS_FAILED) : resumed.whole;
      const scored = await scoreWhole({ ...resumed, whole: why }, sources, run);
      const text = writePlan(scored.plan, sources, this.scorer);
      const found =
        text === work.plan ? undefined : { plan: text, frameCount: scored.plan.pairing.frameCount };
      return {
        table: scored.table,
        durationMs: performance.now() - started,
        plan: found?.plan,
        frameCount: found?.frameCount,
      };
    });
  }

  makesStills(): Promise<boolean> {
    return canMakeStills(this.#tools);
  }

  async stills({ request, plan: text, parts }: StillsWork, options: WorkOptions = {}): Promise<Still[]> {
    using deadline = new Deadline(options);
    const facts = readPlan(text);
    refuseOtherRequest(facts, request);
    const { ffmpeg, isolation } = this.#tools;
    return await this.#withSources(request, options, async (sources) => {
      const stills: Still[] = [];
      for (const { segment: written, frames } of parts) {
        const segment = written === undefined ? wholeSegment(facts.pairing) : readSegment(written);
        // Stills need no model.
        const resumed = await resumePlan(facts, segment, request, sources, []);
        const context = { ffmpeg, isolation, signal: deadline.signal };
        stills.push(...(await makeStills(resumed, segment, frames, sources, context)));
      }
      return stills;
    });
  }

  #run(
    models: readonly RequestedModel[],
    deadline: Deadline,
    onProgress?: (progress: Progress) => void,
  ): RunOptions {
    const { scorer, ffmpeg, isolation } = this.#tools;
    const { signal, timeoutMs } = deadline;
    const threads = this.#options.threads ?? availableParallelism();
    return { scorer, ffmpeg, isolation, models, signal, timeoutMs, threads, onProgress };
  }

  /** Opens both files for some work, and verifies afterwards that neither was written to meanwhile. */
  async #withSources<T>(
    request: PairRequest,
    { tenant }: Pick<WorkOptions, "tenant">,
    work: (sources: Sources) => Promise<T>,
  ): Promise<T> {
    const { mediaRoots } = this.#options;
    const roots = tenant === undefined ? mediaRoots : mediaRoots?.of(tenant);
    await using reference = await openSource("reference", request.reference, roots);
    await using distorted = await openSource("distorted", request.distorted, roots);
    const done = await work({ reference, distorted });
    await Promise.all([reference.verifyUnchanged(), distorted.verifyUnchanged()]);
    return done;
  }
}
