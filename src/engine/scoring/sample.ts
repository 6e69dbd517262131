/** Scores a random sample of a pair's frames until the mean is known as precisely as requested. */
import { Failure } from "../../platform/failure.ts";
import type { EstimateProgress, SampleRequest } from "../contract/estimate.ts";
import type { Finding } from "../contract/finding.ts";
import { SegmentMismatch } from "../contract/segment-mismatch.ts";
import { estimateMean, type UnitScore } from "../estimate/mean.ts";
import { type SamplingPlan, samplingPlan } from "../estimate/sampling-plan.ts";
import { assess, looks } from "../estimate/stopping.ts";
import type { Sources } from "../files/source.ts";
import type { FrameTable } from "../frames/frame-table.ts";
import { allOrAbort } from "../media/all-or-abort.ts";
import type { Plan } from "../planning/plan.ts";
import type { Segment } from "../planning/segment.ts";
import { Joiner } from "../results/join.ts";
import { allFramesScored, drawnUnits, type Sample, scoreOfUnit, tooImprecise } from "../results/sample.ts";
import { ProgressMeter } from "./progress.ts";
import { type RunOptions, type Scored, scoreCut, scoreWhole } from "./score.ts";

/**
 * Units that are scored at a time. A unit has too few frames to occupy all threads, and its decoders and its
 * scorer start and end one after another.
 */
const UNITS_AT_ONCE = 2;
/** Units of the smallest sample whose estimate is shown as progress. */
const FEWEST_SHOWN = 8;

/**
 * Scores units of a plan that was cut into them. Scores all frames in one run if that takes less time than the sample,
 * or if the units do not match the plan; the result then has a warning that says so.
 */
export async function scoreSample(
  plan: Plan,
  sources: Sources,
  options: RunOptions,
  request: SampleRequest,
): Promise<Scored> {
  const why = await whyWhole(plan, request, async () => {
    const sampler = new Sampler(plan, sources, options, request);
    return sampler.run();
  });
  if (typeof why !== "string") return why;
  const scored = await scoreWhole({ ...plan, whole: why }, sources, options);
  const warning = allFramesScored(why);
  const { pairing } = scored.plan;
  const warned = { ...pairing, warnings: [...pairing.warnings, warning] };
  return { ...scored, plan: { ...scored.plan, pairing: warned } };
}

/** Returns the scored sample, or the reason why all frames must be scored. */
async function whyWhole(
  { segments, whole }: Plan,
  { tolerance }: SampleRequest,
  score: () => Promise<Scored | undefined>,
): Promise<Scored | string> {
  if (whole !== undefined) return whole;
  const units = segments.length;
  if (looks(units, tolerance)[0] === units)
    return `The video is too short: a sample of it for ±${tolerance} takes more time.`;
  try {
    return (await score()) ?? tooImprecise({ tolerance });
  } catch (error) {
    if (!(error instanceof SegmentMismatch)) throw error;
    return error.message;
  }
}

class Sampler {
  readonly #plan: Plan;
  readonly #sources: Sources;
  readonly #options: RunOptions;
  readonly #request: SampleRequest;
  readonly #drawing: SamplingPlan;
  readonly #meter: ProgressMeter;
  readonly #tables = new Map<number, FrameTable>();
  readonly #scores = new Map<number, UnitScore>();
  readonly #findings: Finding[] = [];
  /** Number of units from the beginning of the order that are all scored. */
  #complete = 0;
  #shown: EstimateProgress | undefined;

  constructor(plan: Plan, sources: Sources, options: RunOptions, request: SampleRequest) {
    this.#plan = plan;
    this.#sources = sources;
    this.#options = options;
    this.#request = request;
    this.#drawing = samplingPlan(plan.segments.length, request.seed);
    this.#meter = new ProgressMeter(0, (progress) =>
      options.onProgress?.({ ...progress, estimate: this.#shown }),
    );
  }

  /** Returns undefined if all units are needed. */
  async run(): Promise<Scored | undefined> {
    const total = this.#plan.segments.length;
    for (;;) {
      const { precise, needed } = assess(this.#drawing, this.#request.tolerance, (unit) =>
        this.#scores.get(unit),
      );
      if (precise) return this.#scored(needed);
      if (needed === total) return undefined;
      await this.#scoreUnits(this.#drawing.order.subarray(0, needed));
    }
  }

  /** Scores the units that are not scored yet, several at a time. */
  async #scoreUnits(units: Uint32Array): Promise<void> {
    this.#meter.expect(units.reduce((sum, unit) => sum + this.#segment(unit).count, 0));
    const queue = units.subarray(this.#complete).values();
    const scoreQueue = async (signal: AbortSignal): Promise<void> => {
      for (const unit of queue) {
        await this.#scoreUnit(unit, signal);
        this.#show();
      }
    };
    await allOrAbort(
      this.#options.signal,
      Array.from({ length: UNITS_AT_ONCE }, () => scoreQueue),
    );
  }

  async #scoreUnit(unit: number, signal: AbortSignal): Promise<void> {
    const segment = this.#segment(unit);
    const threads = Math.ceil(this.#options.threads / UNITS_AT_ONCE);
    const options = { ...this.#options, threads, signal };
    const { table, findings } = await scoreCut(this.#plan, segment, this.#sources, options, this.#meter);
    this.#findings.push(...findings);
    const [model] = this.#plan.models;
    if (model === undefined) throw new Failure("INVALID_REQUEST", "The request names no model.");
    this.#scores.set(unit, scoreOfUnit(segment, table, segment.before, model));
    this.#tables.set(unit, table);
  }

  /** Updates the estimate that is shown as progress. It does not decide when the sample ends. */
  #show(): void {
    const { order } = this.#drawing;
    while (this.#scores.has(order[this.#complete] ?? -1)) this.#complete++;
    if (this.#complete < FEWEST_SHOWN) return;
    const scoreOf = (unit: number): UnitScore => this.#scores.get(unit) ?? { frames: 0, sum: 0 };
    const { mean, halfWidth, frames } = estimateMean(this.#drawing, this.#complete, scoreOf);
    this.#shown = { mean, halfWidth, scoredShare: frames / this.#plan.pairing.frameCount };
    this.#meter.repeat();
  }

  #scored(units: number): Scored {
    const { models, segments } = this.#plan;
    const sample: Sample = { ...this.#request, plan: this.#drawing, units, segments };
    const drawn = drawnUnits(sample);
    const rows = drawn.reduce((sum, { segment }) => sum + segment.count, 0);
    const joiner = new Joiner(models, rows);
    for (const { unit, segment } of drawn) joiner.add(segment, this.#tables.get(unit) as FrameTable);
    return { plan: this.#plan, table: joiner.finish(), sample, findings: this.#findings, shots: [] };
  }

  #segment(unit: number): Segment {
    return this.#plan.segments[unit] as Segment;
  }
}
