/** How often the interval of an estimate contains the true mean of a film, and what it costs. */
import type { UnitScore } from "../../src/engine/estimate/mean.ts";
import { samplingPlan } from "../../src/engine/estimate/sampling-plan.ts";
import { assess } from "../../src/engine/estimate/stopping.ts";
import type { Film } from "./films.ts";

export interface Coverage {
  readonly units: number;
  readonly trueMean: number;
  /** Standard deviation of the units' means. */
  readonly deviation: number;
  /** Share of the seeds whose interval contains the true mean. */
  readonly covered: number;
  /** Share of the frames that was scored: the median and the 95th percentile over the seeds. */
  readonly medianShare: number;
  readonly highShare: number;
  readonly medianHalfWidth: number;
  /** Mean of the errors over the seeds. */
  readonly bias: number;
}

export interface Settings {
  /** Approximate number of frames in a unit. */
  readonly unit: number;
  readonly tolerance: number;
  /** Number of seeds, from 0. */
  readonly seeds: number;
}

export function measure(film: Film, { unit: length, tolerance, seeds }: Settings): Coverage {
  const units = unitsOf(film, length);
  const sum = film.scores.reduce((total, score) => total + score, 0);
  const trueMean = sum / film.scores.length;
  const [shares, widths]: [number[], number[]] = [[], []];
  let covered = 0;
  let bias = 0;
  for (let seed = 0; seed < seeds; seed++) {
    const { estimate } = assess(samplingPlan(units.length, seed), tolerance, (unit) => units[unit]);
    if (estimate === undefined) throw new Error(`no estimate of ${film.name}`);
    if (Math.abs(estimate.mean - trueMean) <= estimate.halfWidth + 1e-9) covered++;
    bias += (estimate.mean - trueMean) / seeds;
    shares.push(estimate.frames / film.scores.length);
    widths.push(estimate.halfWidth);
  }
  const means = units.map((unit) => unit.sum / unit.frames);
  return {
    units: units.length,
    trueMean,
    deviation: Math.sqrt(means.reduce((total, mean) => total + (mean - trueMean) ** 2, 0) / means.length),
    covered: covered / seeds,
    medianShare: quantile(shares, 0.5),
    highShare: quantile(shares, 0.95),
    medianHalfWidth: quantile(widths, 0.5),
    bias,
  };
}

/** Divides a film as planning/cut.ts does: about `length` frames each, moved by at most half of that to a cut. */
function unitsOf({ scores, cuts }: Film, length: number): readonly UnitScore[] {
  const starts = [0];
  let next = 0;
  for (let target = length; target < scores.length - length / 2; target = (starts.at(-1) ?? 0) + length) {
    while ((cuts[next] ?? scores.length) < target - length / 2) next++;
    const cut = cuts[next] ?? scores.length;
    starts.push(cut <= Math.min(target + length / 2, scores.length - length / 4) ? cut : target);
  }
  return starts.map((first, index) => {
    const part = scores.subarray(first, starts[index + 1] ?? scores.length);
    return { frames: part.length, sum: part.reduce((total, score) => total + score, 0) };
  });
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.round((values.length - 1) * share)] ?? Number.NaN;
}
