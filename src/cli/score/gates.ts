/** Gates: --fail-under METRIC.STAT=VALUE. */

import { FEATURES } from "../../engine/contract/request.ts";
import type { Pooled } from "../../engine/contract/result.ts";
import { isComponent } from "../../jobs/feature-names.ts";
import { largestScore } from "../../jobs/models.ts";
import { Failure } from "../../platform/failure.ts";
import { printable, quoteName } from "../terminal/escape.ts";
import { exact } from "../terminal/numbers.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { belongsTo, FIRST_METRIC, metricNamed, STATS } from "./view.ts";

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
    const verdict = outcome.passed ? paint(terminal, "green", "pass") : paint(terminal, "red", "FAIL");
    return `${verdict}  ${gateText(outcome, terminal.unicode)}`;
  });
}

/** "vmaf.p5 81.250000 < 85". */
export function gateText({ gate, value, passed }: GateOutcome, unicode: boolean): string {
  const at = unicode ? "≥" : ">=";
  return `${printable(gate.metric)}.${gate.stat} ${exact(value)} ${passed ? at : "<"} ${gate.limit}`;
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
