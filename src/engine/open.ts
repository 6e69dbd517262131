/** Opens the engine: finds its programs, and plans and scores pairs with them. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { refuseAlignment } from "./contract/alignment.ts";
import type { Diagnosis } from "./contract/diagnosis.ts";
import { refuseSample } from "./contract/estimate.ts";
import { refusePicture } from "./contract/picture.ts";
import type { PairRequest } from "./contract/request.ts";
import type { Progress, ScoreResult, ScorerInfo } from "./contract/result.ts";
import type {
  AvailableScorer,
  PlannedPair,
  SegmentOptions,
  SegmentScored,
  SegmentWork,
  Still,
  StillsWork,
  WorkOptions,
  WorkPlanOptions,
} from "./contract/work.ts";
import { diagnose } from "./doctor/diagnose.ts";
import type { Engine, EngineOptions, ScoreOptions } from "./engine.ts";
import { openSource, type Sources } from "./files/source.ts";
import { noDecoder } from "./media/decode-errors.ts";
import { wholeSegment } from "./planning/cut.ts";
import {
  availableModels,
  type BuiltIn,
  findModels,
  modelIds,
  type RequestedModel,
} from "./planning/models.ts";
import { plan, probeBoth } from "./planning/plan.ts";
import { readPlan, readSegment, writePlan, writeSegment } from "./planning/plan-json.ts";
import { plannedModels, refuseOtherRequest, resumePlan } from "./planning/resume.ts";
import { turnedSides } from "./planning/shapes.ts";
import { toResult } from "./results/assemble.ts";
import { Deadline } from "./sandbox/deadline.ts";
import { findMoreTools, findTools, type Tools } from "./scoring/find.ts";
import { ProgressMeter } from "./scoring/progress.ts";
import { scoreSample } from "./scoring/sample.ts";
import { type RunOptions, scoreCut, scorePlan, scoreWhole } from "./scoring/score.ts";
import { refuseMissingFeatures } from "./scoring/scorer.ts";
import { Scorers } from "./scoring/scorers.ts";
import { canMakeStills, makeStills } from "./stills/still.ts";

/** Finds the scoring executable and tests it, unless it is trusted. Throws SCORER_NOT_FOUND if there is none. */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const modelDir = options.modelDir === undefined ? undefined : resolve(options.modelDir);
  const { scorerPath } = options;
  const tools = await findTools(scorerPath, options, options.trustInstalled === true);
  // A given program is the only one.
  const findMore = async () => (scorerPath === undefined ? findMoreTools(tools, options) : []);
  return new OpenEngine({ ...options, modelDir }, new Scorers(tools, findMore));
}

/** Why a job's pair is scored whole although its plan has segments. */
const SEGMENTS_FAILED = "The segments, scored separately, did not match the plan.";

class OpenEngine implements Engine {
  readonly #options: EngineOptions;
  readonly #scorers: Scorers;

  constructor(options: EngineOptions, scorers: Scorers) {
    this.#options = options;
    this.#scorers = scorers;
  }

  get scorer(): ScorerInfo {
    return this.#scorers.default.scorer.info;
  }

  models(): Promise<readonly string[]> {
    return availableModels(this.#options.modelDir, builtInto(this.#scorers.default));
  }

  async scorers(): Promise<readonly AvailableScorer[]> {
    const { modelDir } = this.#options;
    const all = await this.#scorers.all();
    return Promise.all(
      all.map(async (tools) => ({
        scorer: tools.scorer.info,
        models: await modelIds(modelDir, builtInto(tools)),
      })),
    );
  }

  async score(request: PairRequest, options: ScoreOptions = {}): Promise<ScoreResult> {
    const started = performance.now();
    using deadline = new Deadline(options);
    const tools = await this.#scorers.ofVersion(request.scorerVersion);
    const models = await this.#models(request, tools);
    const { sample, segmentFrames } = options;
    refuseAlignment(request);
    refusePicture(request);
    if (sample !== undefined) refuseSample(sample, request);
    const frames = segmentFrames === undefined ? undefined : { frames: segmentFrames };
    const segmentLength = sample === undefined ? frames : "units";
    const run = this.#run(tools, deadline, options.onProgress);
    const scored = await this.#withSources(request, options, async (sources) => {
      const planned = await plan(sources, request, { ...run, models, segmentLength });
      const { reference, distorted } = sources;
      const outcome =
        sample === undefined
          ? await scorePlan(planned, sources, run)
          : await scoreSample(planned, sources, run, sample);
      return { ...outcome, files: { reference, distorted } };
    }).catch(async (error: unknown) => {
      // A program that was trusted is tried now: it may be the reason.
      if (!deadline.signal.aborted) await tools.scorer.confirm();
      throw error;
    });
    const { features } = request;
    const { plan: planned, ...rest } = scored;
    const segments = scored.sample?.units ?? planned.segments.length;
    const finished = { ...planned, ...rest, features, segments };
    return await toResult(finished, tools.scorer.info, performance.now() - started);
  }

  async plan(request: PairRequest, options: WorkPlanOptions): Promise<PlannedPair> {
    using deadline = new Deadline(options);
    refuseAlignment(request);
    refusePicture(request);
    const tools = await this.#scorers.ofVersion(request.scorerVersion);
    const models = await this.#models(request, tools);
    const segmentLength = options.segments;
    const run = this.#run(tools, deadline);
    return await this.#withSources(request, options, async (sources) => {
      const planned = await plan(sources, request, { ...run, models, segmentLength });
      const { pairing, segments } = planned;
      return {
        plan: writePlan(planned, sources, tools.scorer.info),
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
    const tools = await this.#scorers.ofPlan(facts.scorer);
    refuseOtherRequest(facts, request);
    const models = await plannedModels(facts, this.#options.modelDir, builtInto(tools));
    const report = ({ framesDone }: Progress): void => options.onFrames?.(framesDone);
    const run = this.#run(tools, deadline, report);
    return await this.#withSources(request, options, async (sources) => {
      const resumed = await resumePlan(facts, segment, request, sources, models);
      if (segment.cut !== undefined) {
        const meter = new ProgressMeter(segment.count, report);
        const table = await scoreCut(resumed, segment, sources, run, meter);
        return { table, durationMs: performance.now() - started, plan: undefined, frameCount: undefined };
      }
      const why = work.segment === undefined ? (resumed.whole ?? SEGMENTS_FAILED) : resumed.whole;
      const scored = await scoreWhole({ ...resumed, whole: why }, sources, run);
      const text = writePlan(scored.plan, sources, facts.scorer);
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

  async diagnose(request: PairRequest, options: WorkOptions = {}): Promise<Diagnosis> {
    using deadline = new Deadline(options);
    const { ffmpeg, isolation } = this.#scorers.default;
    if (ffmpeg === undefined) throw noDecoder("A diagnosis needs");
    const context = { ffmpeg, isolation, signal: deadline.signal };
    return await this.#withSources(request, options, async (sources) => {
      const tracks = await probeBoth(sources, request, context);
      return diagnose({ sources, tracks, turned: turnedSides(tracks), context });
    });
  }

  makesStills(): Promise<boolean> {
    return canMakeStills(this.#scorers.default);
  }

  async stills({ request, plan: text, parts }: StillsWork, options: WorkOptions = {}): Promise<Still[]> {
    using deadline = new Deadline(options);
    const facts = readPlan(text);
    refuseOtherRequest(facts, request);
    const { ffmpeg, isolation } = this.#scorers.default;
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

  /** Finds the models of a request. Throws UNKNOWN_MODEL, UNKNOWN_FEATURE for what the scorer cannot compute. */
  async #models(request: PairRequest, tools: Tools): Promise<readonly RequestedModel[]> {
    await refuseMissingFeatures(tools.scorer, request.features);
    return findModels(request.models, this.#options.modelDir, builtInto(tools));
  }

  #run(
    { scorer, ffmpeg, isolation }: Tools,
    deadline: Deadline,
    onProgress?: (progress: Progress) => void,
  ): RunOptions {
    const { signal, timeoutMs } = deadline;
    const threads = this.#options.threads ?? availableParallelism();
    return { scorer, ffmpeg, isolation, signal, timeoutMs, threads, onProgress };
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

function builtInto({ scorer }: Tools): BuiltIn {
  return (names) => scorer.hasModels(names);
}
