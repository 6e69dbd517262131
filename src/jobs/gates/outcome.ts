/** Checks a score against gates. */
import type { ScoredModel } from "../scored-models.ts";
import { FIRST_METRIC, metricNamed } from "../scores/metric-names.ts";
import type { Gate, Statistic } from "./gate.ts";
import { type Interval, meanAtLeast, type Verdict } from "./interval.ts";

/** The parts of a result that gates are about. */
export interface JudgedScore {
  readonly models: readonly (Pick<ScoredModel, "model" | "metric"> & {
    readonly score: number;
    /** Only in an estimate. */
    readonly interval?: Interval | undefined;
  })[];
  readonly pooled: Readonly<Record<string, Readonly<Record<Statistic, number>>>>;
  /** Set if the result is an estimate. */
  readonly estimate?: object | undefined;
}

export interface GateOutcome {
  /** The gate, with the metric's name in the result if the result has the metric. */
  readonly gate: Gate;
  /** UNKNOWN_METRIC: the score has no such metric. */
  readonly verdict: Verdict | "UNKNOWN_METRIC";
  /** undefined if the score has no such metric. */
  readonly value?: number;
  /** The interval of the value, if it is estimated. */
  readonly interval?: Interval;
}

/** Checks a score against gates. A gate that cannot be evaluated does not pass. */
export function judgeGates(gates: readonly Gate[], score: JudgedScore): readonly GateOutcome[] {
  return gates.map((gate) => (score.estimate ? judgeEstimate(gate, score) : judge(gate, score)));
}

/** Whether a gate is not met: an estimate that cannot decide it does not meet it. */
export function isMissed({ verdict }: Pick<GateOutcome, "verdict">): boolean {
  return verdict !== "PASSED";
}

function judge(gate: Gate, { models, pooled }: JudgedScore): GateOutcome {
  const model = modelOf(gate, models);
  const metric = model?.metric ?? metricNamed(gate.metric.replaceAll("-", "_"), pooled) ?? gate.metric;
  const value = Object.hasOwn(pooled, metric) ? pooled[metric]?.[gate.stat] : undefined;
  if (value === undefined) return { gate, verdict: "UNKNOWN_METRIC" };
  return { gate: { ...gate, metric }, verdict: value >= gate.limit ? "PASSED" : "FAILED", value };
}

/** An estimate knows only the means of models; each passes or fails only if its whole interval does. */
function judgeEstimate(gate: Gate, { models }: JudgedScore): GateOutcome {
  const { metric = gate.metric, score, interval } = modelOf(gate, models) ?? {};
  if (gate.stat !== "mean" || score === undefined || interval === undefined)
    return { gate, verdict: "UNKNOWN_METRIC" };
  const { low, high } = interval;
  return {
    gate: { ...gate, metric },
    verdict: meanAtLeast(gate.limit, interval),
    value: score,
    interval: { low, high },
  };
}

function modelOf({ metric }: Gate, models: JudgedScore["models"]): JudgedScore["models"][number] | undefined {
  if (metric === FIRST_METRIC) return models[0];
  return models.find((one) => one.model === metric || one.metric === metric);
}
