/** Opens the engine: finds its programs, and plans and scores pairs with them. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { Failure } from "../platform/failure.ts";
import { refuseAlignment } from "./contract/alignment.ts";
import type { Diagnosis } from "./contract/diagnosis.ts";
import { refuseSample } from "./contract/estimate.ts";
import { refusePicture } from "./contract/picture.ts";
import { type PairRequest, perSide } from "./contract/request.ts";
import type { Progress, ScoreResult, ScorerInfo } from "./contract/result.ts";
import type {
  AvailableScorer,
  Clip,
  ClipWork,
  PlannedPair,
  SegmentOptions,
  SegmentScored,
  SegmentWork,
  Still,
  StillsWork,
  WorkOptions,
  WorkPlanOptions,
} from "./contract/work.ts";
import { withParts } from "./coverage/fetch.ts";
import { diagnose } from "./doctor/diagnose.ts";
import { sizesSeen } from "./doctor/examine.ts";
import type { Engine, EngineOptions, ScoreOptions, TogetherOptions } from "./engine.ts";
import { type Opening, openSources, withSources } from "./files/source.ts";
import { resultOf } from "./finish.ts";
import { noDecoder } from "./media/decode-errors.ts";
import { looking, planPair } from "./plan-pair.ts";
import { planByIndex } from "./planning/by-index.ts";
import { wholeSegment } from "./planning/cut.ts";
import {
  availableModels,
  type BuiltIn,
  findModels,
  modelIds,
  type RequestedModel,
} from "./planning/models.ts";
import { probeBoth } from "./planning/plan.ts";
import { readPlan, writePlan } from "./planning/plan-json.ts";
import { plannedModels, plannedRequest, refuseOtherRequest, resumePlan } from "./planning/resume.ts";
import { readSegment, writeSegment } from "./planning/segment-json.ts";
import { ProgramDigests } from "./programs/digest.ts";
import { reuseKeys } from "./results/reuse-key.ts";
import { Deadline } from "./sandbox/deadline.ts";
import { DEFAULT_TIMEOUT_MS } from "./sandbox/limits.ts";
import { scoreTogether } from "./score-together.ts";
import { findMoreTools, findTools, type Tools } from "./scoring/find.ts";
import { ProgressMeter } from "./scoring/progress.ts";
import { scoreSample } from "./scoring/sample.ts";
import { type RunOptions, scoreCut, scorePlan, scoreWhole } from "./scoring/score.ts";
import { refuseMissingFeatures } from "./scoring/scorer.ts";
import { Scorers } from "./scoring/scorers.ts";
import { canMakeClips } from "./stills/clip.ts";
import { canMakeStills } from "./stills/still.ts";
import { clipOf, stillsOf } from "./stills/work.ts";

/** Finds the scoring executable and tests it, unless it is trusted. Throws SCORER_NOT_FOUND if there is none. */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const modelDir = options.modelDir === undefined ? undefined : resolve(options.modelDir);
  const { scorerPath } = options;
  const tools = await findTools(scorerPath, options, options.trustInstalled === true);
  // If the user names a program, there are no others.
  const findMore = async () => (scorerPath === undefined ? findMoreTools(tools, options) : []);
  return new OpenEngine({ ...options, modelDir }, new Scorers(tools, findMore));
}

/** Why a job's pair is scored whole although its plan has segments. */
const SEGMENTS_FAILED = "The segments, scored separately, did not match the plan.";

class OpenEngine implements Engine {
  readonly #options: EngineOptions;
  readonly #scorers: Scorers;
  readonly #digests = new ProgramDigests();

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
        scoredBy: await this.#digestOf(tools),
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
    const run = { ...this.#run(tools, deadline, options.onProgress), look: looking(request) };
    const { sources, ...scored } = await withSources(
      request,
      this.#opening(options, deadline),
      async (sources) => {
        const planned = await planPair(sources, request, { ...run, models, segmentLength });
        const outcome =
          sample === undefined
            ? await scorePlan(planned, sources, run)
            : await scoreSample(planned, sources, run, sample);
        return { ...outcome, sources };
      },
    ).catch(async (error: unknown) => {
      // A trusted program is tested now, because it may be the cause.
      if (!deadline.signal.aborted) await tools.scorer.confirm();
      throw error;
    });
    return await resultOf(scored, sources, tools.scorer.info, performance.now() - started);
  }

  async scoreTogether(
    requests: readonly PairRequest[],
    options: TogetherOptions = {},
  ): Promise<readonly (ScoreResult | Failure)[]> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    using deadline = new Deadline({ ...options, timeoutMs: timeoutMs * requests.length });
    const tools = await this.#scorers.ofVersion(requests[0]?.scorerVersion);
    const look = requests[0] && looking(requests[0]);
    const run = { ...this.#run(tools, deadline, options.onProgress), timeoutMs, look };
    await using opened = new AsyncDisposableStack();
    const results = await scoreTogether(requests, run, async (request) => {
      refuseAlignment(request);
      refusePicture(request);
      const models = await this.#models(request, tools);
      const sources = opened.use(await openSources(request, this.#opening(options, deadline)));
      return {
        plan: await planPair(sources, request, { ...run, models, segmentLength: undefined }),
        sources,
      };
    });
    if (options.signal?.aborted) deadline.signal.throwIfAborted();
    // A trusted program is tested now, because it may be the cause.
    if (results.some((result) => result instanceof Failure) && !deadline.signal.aborted)
      await tools.scorer.confirm();
    return results;
  }

  async plan(request: PairRequest, options: WorkPlanOptions): Promise<PlannedPair> {
    using deadline = new Deadline(options);
    refuseAlignment(request);
    refusePicture(request);
    const tools = await this.#scorers.ofVersion(request.scorerVersion);
    const models = await this.#models(request, tools);
    const look = looking(request);
    const run = this.#run(tools, deadline);
    const opening = { ...this.#opening(options, deadline), fetchesItself: true };
    return await withSources(request, opening, async (sources) => {
      const cutting = { ...run, models, segmentLength: options.segments, hashPackets: true };
      const planned =
        (await planByIndex(sources, request, cutting)) ?? (await planPair(sources, request, cutting));
      const { pairing, segments } = planned;
      const keys = reuseKeys(planned, tools.scorer.info, look === undefined ? "" : sizesSeen(planned.tracks));
      return {
        plan: writePlan(planned, sources, tools.scorer.info),
        segments: segments.map((segment, index) => ({
          first: segment.first,
          count: segment.count,
          segment: writeSegment(segment),
          key: keys[index],
        })),
        frameCount: pairing.frameCount,
        pixels: pairing.width * pairing.height,
        models: planned.models.map(({ name, digest }) => ({ name, digest })),
        scoredBy: await this.#digestOf(tools),
        identities: perSide((side) => sources[side].identity),
      };
    });
  }

  async scoreSegment(work: SegmentWork, options: SegmentOptions = {}): Promise<SegmentScored> {
    const started = performance.now();
    using deadline = new Deadline(options);
    const facts = readPlan(work.plan);
    const request = plannedRequest(facts, work.request);
    const segment = work.segment === undefined ? wholeSegment(facts.pairing) : readSegment(work.segment);
    const tools = await this.#scorers.ofPlan(facts.scorer);
    refuseOtherRequest(facts, request);
    const models = await plannedModels(facts, this.#options.modelDir, builtInto(tools));
    const scoredBy = await this.#digestOf(tools);
    const report = ({ framesDone }: Progress): void => options.onFrames?.(framesDone);
    const { onScored } = options;
    const run = { ...this.#run(tools, deadline, report), look: looking(request), onScored };
    const needed = { opening: this.#opening(options, deadline), parts: [segment.coverages ?? {}] };
    return await withParts(request, needed, run, async (sources) => {
      const resumed = await resumePlan(facts, segment, request, sources, models);
      if (segment.cut !== undefined) {
        const meter = new ProgressMeter(segment.count, report);
        const { table, findings, shots } = await scoreCut(resumed, segment, sources, run, meter);
        const durationMs = performance.now() - started;
        return { table, findings, shots, durationMs, plan: undefined, frameCount: undefined, scoredBy };
      }
      const why = work.segment === undefined ? (resumed.whole ?? SEGMENTS_FAILED) : resumed.whole;
      const { plan, table, findings, shots } = await scoreWhole({ ...resumed, whole: why }, sources, run);
      const text = writePlan(plan, sources, facts.scorer);
      const isOther = text !== work.plan;
      return {
        ...{ table, findings, shots: shots[0]?.shots, scoredBy },
        durationMs: performance.now() - started,
        plan: isOther ? text : undefined,
        frameCount: isOther ? plan.pairing.frameCount : undefined,
      };
    });
  }

  get canDiagnose(): boolean {
    return this.#scorers.default.ffmpeg !== undefined;
  }

  async diagnose(request: PairRequest, options: WorkOptions = {}): Promise<Diagnosis> {
    using deadline = new Deadline(options);
    const { ffmpeg, isolation } = this.#scorers.default;
    if (ffmpeg === undefined) throw noDecoder("A diagnosis needs");
    const context = { ffmpeg, isolation, signal: deadline.signal };
    return await withSources(request, this.#opening(options, deadline), async (sources) => {
      const tracks = await probeBoth(sources, request, context);
      return diagnose(sources, tracks, context);
    });
  }

  makesStills(): Promise<boolean> {
    return canMakeStills(this.#scorers.default);
  }

  async stills(work: StillsWork, options: WorkOptions = {}): Promise<Still[]> {
    using deadline = new Deadline(options);
    const context = { ...this.#scorers.default, signal: deadline.signal };
    return await stillsOf(work, this.#opening(options, deadline), context);
  }

  makesClips(): Promise<boolean> {
    return canMakeClips(this.#scorers.default);
  }

  async clip(work: ClipWork, options: WorkOptions = {}): Promise<Clip> {
    using deadline = new Deadline(options);
    const context = { ...this.#scorers.default, signal: deadline.signal };
    return await clipOf(work, this.#opening(options, deadline), context);
  }

  /** Finds the models of a request. Throws UNKNOWN_MODEL, UNKNOWN_FEATURE for what the scorer cannot compute. */
  async #models(request: PairRequest, tools: Tools): Promise<readonly RequestedModel[]> {
    await refuseMissingFeatures(tools.scorer, request.features);
    return findModels(request.models, this.#options.modelDir, builtInto(tools));
  }

  /** Returns a digest of the programs that score and decode. */
  #digestOf({ scorer, ffmpeg = scorer.path }: Tools): Promise<string | undefined> {
    return this.#digests.of([scorer.path, ffmpeg]);
  }

  #run(
    { scorer, ffmpeg, isolation }: Tools,
    deadline: Deadline,
    onProgress?: (progress: Progress) => void,
  ): Omit<RunOptions, "look"> {
    const { signal, timeoutMs } = deadline;
    const threads = this.#options.threads ?? availableParallelism();
    return { scorer, ffmpeg, isolation, signal, timeoutMs, threads, onProgress };
  }

  /** Where the videos of a tenant's work may be opened. */
  #opening({ tenant, remote }: WorkOptions, { signal }: Deadline): Opening {
    const { mediaRoots } = this.#options;
    return { roots: tenant === undefined ? mediaRoots : mediaRoots?.of(tenant), remote, signal };
  }
}

function builtInto({ scorer }: Tools): BuiltIn {
  return (names) => scorer.hasModels(names);
}
