/** Gates: --fail-under METRIC.STAT=VALUE. */

import { FEATURES } from "../../engine/contract/request.ts";
import type { Pooled } from "../../engine/contract/result.ts";
import { type Interval, meanAtLeast } from "../../engine/estimate/gate.ts";
import { isComponent } from "../../jobs/feature-names.ts";
import { largestScore } from "../../jobs/models.ts";
import { Failure } from "../../platform/failure.ts";
import { printable, quoteName } from "../terminal/escape.ts";
import { exact } from "../terminal/numbers.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { belongsTo, FIRST_METRIC, type ModelView, metricNamed, STATS } from "./view.ts";

export interface Gate {
  /** As given, for messages. */
  readonly text: string;
  readonly metric: string;
  readonly stat: keyof Pooled;
  /** Lowest value that passes. */
  readonly limit: number;
}

export interface GateOutcome {
  readonly gate: Gate;
  readonly value: number;
  readonly passed: boolean;
  /** The interval of the value, if it contains the limit: it is undecided whether the gate passes. */
  readonly undecided?: Interval;
}

/** The metrics that a score will have, as far as known before scoring. */
export interface Expected {
  readonly models: readonly string[];
  readonly features: readonly string[];
}

const STAT_NAMES = STATS.map(([stat]) => stat);
/** Metrics that bootstrap models add to their score. */
const BOOTSTRAP = /_(?:bagging|stddev|ci_p95_lo|ci_p95_hi)$/;

/** Parses one gate. Metric names may contain dots, statistics may not. Throws INVALID_REQUEST. */
export function parseGate(text: string): Gate {
  const match = /^(.+)\.([^.=]+)=(.+)$/s.exec(text);
  const limit = Number(match?.[3]?.trim() || Number.NaN);
  if (!match || !Number.isFinite(limit)) {
    throw usage(`${quoteName(text)} isn't a valid gate: write METRIC.STAT=VALUE, for example vmaf.mean=93.`);
  }
  const [, metric = "", name = ""] = match;
  const stat = STAT_NAMES.find((known) => known === name);
  if (!stat) {
    throw usage(
      `${quoteName(text)}: ${quoteName(name)} isn't a valid statistic. Valid statistics: ${STAT_NAMES.join(", ")}.`,
    );
  }
  return { text, metric, stat, limit };
}

/**
 * Checks before scoring that the score will have the gate's metric, which may also be given as a model, and can reach
 * its limit. Returns the gate with the metric's name in the result. Throws INVALID_REQUEST.
 */
export function expectGate(gate: Gate, { models, features }: Expected): Gate {
  const [first = ""] = models;
  if (gate.metric === FIRST_METRIC || gate.metric === first)
    return { ...reachable(gate, first), metric: FIRST_METRIC };
  if (models.includes(gate.metric)) return reachable(gate, gate.metric);
  const feature = gate.metric.replaceAll("-", "_");
  if (features.some((asked) => belongsTo(feature, asked))) return { ...gate, metric: feature };
  // Which features a model has is known only after scoring.
  if (isComponent(gate.metric) || BOOTSTRAP.test(gate.metric)) return gate;
  const known = [FIRST_METRIC, ...models.slice(1), ...features];
  const askable = FEATURES.find((name) => belongsTo(feature, name));
  throw unknownMetric(
    gate,
    known,
    askable ? `Add it with --metric ${askable}.` : "Add more with --model NAME and --metric NAME.",
  );
}

/** Returns the gate of a model's score. Throws INVALID_REQUEST if no score of the model is as high as its limit. */
function reachable(gate: Gate, model: string): Gate {
  const largest = largestScore(model);
  if (largest === undefined || gate.stat === "stdDev" || gate.limit <= largest) return gate;
  throw usage(
    `${quoteName(gate.text)}: no video can pass, because the largest score of ${printable(model)} is ${largest}. Give a lower value.`,
  );
}

/** Refuses a gate that an estimate cannot check: it knows only the means of models. Throws INVALID_REQUEST. */
export function expectEstimated(gate: Gate, { models }: Pick<Expected, "models">): Gate {
  const isModel = gate.metric === FIRST_METRIC || models.includes(gate.metric);
  if (isModel && gate.stat === "mean") return gate;
  const known = [FIRST_METRIC, ...models.slice(1)].map((name) => `${printable(name)}.mean`).join(", ");
  throw usage(
    `${quoteName(gate.text)} cannot be checked with --estimate, which knows only the means of models: ${known}. Use one of these, or leave out --estimate.`,
  );
}

/** Checks the means of an estimate against gates of expectEstimated: each passes or fails only if its interval does. */
export function checkEstimate(gates: readonly Gate[], models: readonly ModelView[]): GateOutcome[] {
  return gates.map((gate) => {
    const model = models.find(({ metric }) => metric === gate.metric);
    if (model?.interval === undefined) throw new Failure("INTERNAL", `No estimate of ${gate.metric}.`);
    const verdict = meanAtLeast(gate.limit, model.interval);
    const outcome = { gate, value: model.score, passed: verdict === "PASSED" };
    return verdict === "UNDECIDED" ? { ...outcome, undecided: model.interval } : outcome;
  });
}

/** Checks a score against the gates. Throws INVALID_REQUEST for a metric that the score lacks. */
export function checkGates(gates: readonly Gate[], pooled: Readonly<Record<string, Pooled>>): GateOutcome[] {
  return gates.map((gate) => {
    const metric = metricNamed(gate.metric, pooled);
    const values = metric === undefined ? undefined : pooled[metric];
    if (!values) throw unknownMetric(gate, Object.keys(pooled), "These are the metrics of the score.");
    const value = values[gate.stat];
    return { gate, value, passed: value >= gate.limit };
  });
}

/** Returns one line per gate, with all digits: a rounded value could seem to pass. */
export function gateLines(outcomes: readonly GateOutcome[], terminal: Terminal): string[] {
  return outcomes.map((outcome) => {
    return `${verdictText(outcome, terminal)}  ${gateText(outcome, terminal.unicode)}`;
  });
}

function verdictText({ passed, undecided }: GateOutcome, terminal: Terminal): string {
  if (passed) return paint(terminal, "green", "pass");
  return undecided === undefined ? paint(terminal, "red", "FAIL") : paint(terminal, "yellow", "undecided");
}

/** "vmaf.p5 81.250000 < 85", "vmaf.mean 92.610000 to 93.590000 includes 93". */
export function gateText({ gate, value, passed, undecided }: GateOutcome, unicode: boolean): string {
  const name = `${printable(gate.metric)}.${gate.stat}`;
  if (undecided !== undefined)
    return `${name} ${exact(undecided.low)} to ${exact(undecided.high)} includes ${gate.limit}`;
  const at = unicode ? "≥" : ">=";
  return `${name} ${exact(value)} ${passed ? at : "<"} ${gate.limit}`;
}

function unknownMetric(gate: Gate, known: readonly string[], advice: string): Failure {
  const names = known.map((name) => printable(name)).join(", ");
  return usage(
    `${quoteName(gate.text)}: unknown metric ${quoteName(gate.metric)}. Known metrics: ${names}. ${advice}`,
  );
}

function usage(detail: string): Failure {
  return new Failure("INVALID_REQUEST", `--fail-under ${detail}`);
}
