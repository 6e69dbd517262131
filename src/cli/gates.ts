/** Gates: --fail-under METRIC.STAT=VALUE. */

import { FEATURES } from "../engine/request.ts";
import type { Pooled } from "../engine/result.ts";
import { Failure } from "../platform/failure.ts";
import { printable, quoteName } from "./escape.ts";
import { exact } from "./numbers.ts";
import { paint, type Terminal } from "./terminal.ts";
import { belongsTo, FIRST_METRIC, metricNamed, STATS } from "./view.ts";

export interface Gate {
  /** As given, for messages. */
  readonly text: string;
  readonly metric: string;
  readonly stat: keyof Pooled;
  /** The lowest value that passes. */
  readonly limit: number;
}

export interface GateOutcome {
  readonly gate: Gate;
  readonly value: number;
  readonly passed: boolean;
}

/** What a score will have, as far as it is known before it. */
export interface Expected {
  readonly models: readonly string[];
  readonly features: readonly string[];
}

const STAT_NAMES = STATS.map(([stat]) => stat);
/** The models' own features; which of them a model has is known when it has scored. */
const MODEL_FEATURE = /^(?:(?:integer|float)_)?(?:adm|vif|motion)/;

/** What bootstrap models add to their own value. */
const BOOTSTRAP = /_(?:bagging|stddev|ci_p95_lo|ci_p95_hi)$/;

/** Parses one gate. Metric names may have dots in them, statistics have none. */
export function parseGate(text: string): Gate {
  const match = /^(.+)\.([^.=]+)=(.+)$/s.exec(text);
  const limit = Number(match?.[3]?.trim() || Number.NaN);
  if (!match || !Number.isFinite(limit)) {
    throw usage(`${quoteName(text)} is no gate: write METRIC.STAT=VALUE, for example vmaf.mean=93.`);
  }
  const [, metric = "", name = ""] = match;
  const stat = STAT_NAMES.find((known) => known === name);
  if (!stat) {
    throw usage(
      `${quoteName(text)}: ${quoteName(name)} is no statistic. There are: ${STAT_NAMES.join(", ")}.`,
    );
  }
  return { text, metric, stat, limit };
}

/**
 * Checks before scoring that the score will have the gate's metric; returns the
 * gate with the metric by its name in the result (a model may be named too).
 */
export function expectGate(gate: Gate, { models, features }: Expected): Gate {
  if (gate.metric === FIRST_METRIC || gate.metric === models[0]) return { ...gate, metric: FIRST_METRIC };
  if (models.includes(gate.metric)) return gate;
  const feature = gate.metric.replaceAll("-", "_");
  if (features.some((asked) => belongsTo(feature, asked))) return { ...gate, metric: feature };
  if (MODEL_FEATURE.test(gate.metric) || BOOTSTRAP.test(gate.metric)) return gate;
  const known = [FIRST_METRIC, ...models.slice(1), ...features];
  const askable = FEATURES.find((name) => belongsTo(feature, name));
  throw unknownMetric(
    gate,
    known,
    askable ? `Ask for it with --metric ${askable}.` : "More come with --model NAME and --metric NAME.",
  );
}

/** Holds a score against the gates. */
export function checkGates(gates: readonly Gate[], pooled: Readonly<Record<string, Pooled>>): GateOutcome[] {
  return gates.map((gate) => {
    const metric = metricNamed(gate.metric, pooled);
    const values = metric === undefined ? undefined : pooled[metric];
    if (!values) throw unknownMetric(gate, Object.keys(pooled), "These are the metrics of the score.");
    const value = values[gate.stat];
    return { gate, value, passed: value >= gate.limit };
  });
}

/** One line per gate, with every digit: a rounded value could seem to pass. */
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
    `${quoteName(gate.text)}: there is no metric ${quoteName(gate.metric)}. There are: ${names}. ${advice}`,
  );
}

function usage(detail: string): Failure {
  return new Failure("INVALID_REQUEST", `--fail-under ${detail}`);
}
