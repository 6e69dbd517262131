/** Gates: the lowest value that a statistic of a metric may have, written METRIC.STAT=VALUE. */
import { isComponent } from "../feature-names.ts";
import { largestScore } from "../models.ts";
import { belongsTo, FIRST_METRIC } from "../scores/metric-names.ts";
import { quoted } from "../text/quoted.ts";

/** The statistics of a metric in table order. */
export const STATISTICS = ["mean", "harmonicMean", "min", "p1", "p5", "p10", "p50", "max", "stdDev"] as const;
export type Statistic = (typeof STATISTICS)[number];

export interface Gate {
  /** As given, for messages. */
  readonly text: string;
  readonly metric: string;
  readonly stat: Statistic;
  /** Lowest value that passes. */
  readonly limit: number;
}

/** The metrics that a score will have, as far as known before scoring. */
export interface Expected {
  readonly models: readonly string[];
  readonly features: readonly string[];
}

/** Maximum gates of a job. */
export const MAX_GATES = 32;
/** Maximum characters of a gate. */
const MAX_GATE = 200;

/** Says why a gate cannot be used. The message is for people; it quotes parts of the gate as JSON. */
export class GateFault extends Error {
  override readonly name = "GateFault";
}

/** Metrics that bootstrap models add to their score. */
const BOOTSTRAP = /_(?:bagging|stddev|ci_p95_lo|ci_p95_hi)$/;

/** Parses one gate. Metric names may contain dots, statistics may not. Throws GateFault. */
export function parseGate(text: string): Gate {
  const match = /^([^\p{Cc}]+)\.([^.=]+)=(.+)$/su.exec(text);
  const limit = Number(match?.[3]?.trim() || Number.NaN);
  if (!match || !Number.isFinite(limit) || !text.isWellFormed() || text.length > MAX_GATE) {
    throw new GateFault(
      `${quoted(text, MAX_GATE)} isn't a valid gate: write METRIC.STAT=VALUE, for example vmaf.mean=93.`,
    );
  }
  const [, metric = "", name = ""] = match;
  const stat = STATISTICS.find((known) => known === name);
  if (!stat) {
    const known = STATISTICS.join(", ");
    throw new GateFault(
      `${quoted(text, MAX_GATE)}: ${quoted(name, MAX_GATE)} isn't a valid statistic. Valid statistics: ${known}.`,
    );
  }
  return { text, metric, stat, limit };
}

/**
 * Checks before scoring that the score will have the gate's metric, which may also be given as a model, and can reach
 * its limit. Returns the gate with the metric's name in the result. `adding` says how to request a metric. Throws
 * GateFault.
 */
export function expectGate(
  gate: Gate,
  { models, features }: Expected,
  adding: (metric: string) => string,
): Gate {
  const [first = ""] = models;
  if (gate.metric === FIRST_METRIC || gate.metric === first)
    return { ...reachable(gate, first), metric: FIRST_METRIC };
  if (models.includes(gate.metric)) return reachable(gate, gate.metric);
  const feature = gate.metric.replaceAll("-", "_");
  if (features.some((asked) => belongsTo(feature, asked))) return { ...gate, metric: feature };
  // Which features a model has is known only after scoring.
  if (isComponent(gate.metric) || BOOTSTRAP.test(gate.metric)) return gate;
  const known = [FIRST_METRIC, ...models.slice(1), ...features];
  throw unknownMetric(gate, known, adding(feature));
}

/** Returns the gate of a model's score. Throws GateFault if no score of the model is as high as its limit. */
function reachable(gate: Gate, model: string): Gate {
  const largest = largestScore(model);
  if (largest === undefined || gate.stat === "stdDev" || gate.limit <= largest) return gate;
  throw new GateFault(
    `${quoted(gate.text, MAX_GATE)}: no video can pass, because the largest score of ${model} is ${largest}. Give a lower value.`,
  );
}

/**
 * Refuses a gate that an estimate cannot check: it knows only the means of models. `estimate`: the option or member
 * that requests one. Throws GateFault.
 */
export function expectEstimated(gate: Gate, { models }: Pick<Expected, "models">, estimate: string): Gate {
  const isModel = gate.metric === FIRST_METRIC || models.includes(gate.metric);
  if (isModel && gate.stat === "mean") return gate;
  const known = [FIRST_METRIC, ...models.slice(1)].map((name) => `${name}.mean`).join(", ");
  throw new GateFault(
    `${quoted(gate.text, MAX_GATE)} cannot be checked with ${estimate}, which knows only the means of models: ${known}. Use one of these, or leave out ${estimate}.`,
  );
}

function unknownMetric(gate: Gate, known: readonly string[], advice: string): GateFault {
  return new GateFault(
    `${quoted(gate.text, MAX_GATE)}: unknown metric ${quoted(gate.metric, MAX_GATE)}. Known metrics: ${known.join(", ")}. ${advice}`,
  );
}
