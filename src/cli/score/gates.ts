/** Gates: --fail-under METRIC.STAT=VALUE. */

import {
  type Expected,
  expectEstimated,
  expectGate,
  type Gate,
  GateFault,
  parseGate,
} from "../../jobs/gates/gate.ts";
import type { GateOutcome } from "../../jobs/gates/outcome.ts";
import { belongsTo, FEATURES } from "../../jobs/scores/metric-names.ts";
import { Failure } from "../../platform/failure.ts";
import { printable, quoteName } from "../terminal/escape.ts";
import { exact } from "../terminal/numbers.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";

/** Parses the gates of --fail-under. Throws INVALID_REQUEST. */
export function parseGates(texts: readonly string[]): readonly Gate[] {
  return checked(() => texts.map(parseGate));
}

/**
 * Parses the gates of --fail-under, and checks them before scoring. `isEstimate`: the score will be an estimate.
 * Throws INVALID_REQUEST.
 */
export function expectedGates(
  texts: readonly string[],
  expected: Expected,
  isEstimate: boolean,
): readonly Gate[] {
  return checked(() =>
    texts.map((text) => {
      const gate = expectGate(parseGate(text), expected, adding);
      return isEstimate ? expectEstimated(gate, expected, "--estimate") : gate;
    }),
  );
}

function checked(gates: () => readonly Gate[]): readonly Gate[] {
  try {
    return gates();
  } catch (thrown) {
    if (thrown instanceof GateFault) throw usage(thrown.message);
    throw thrown;
  }
}

function adding(metric: string): string {
  const askable = FEATURES.find((name) => belongsTo(metric, name));
  return askable ? `Add it with --metric ${askable}.` : "Add more with --model NAME and --metric NAME.";
}

/** Throws INVALID_REQUEST for a gate whose metric the score lacks: it could not be evaluated. */
export function requireEvaluated(outcomes: readonly GateOutcome[], metrics: readonly string[]): void {
  const unknown = outcomes.find(({ verdict }) => verdict === "UNKNOWN_METRIC");
  if (unknown === undefined) return;
  const names = metrics.map((name) => printable(name)).join(", ");
  const { text, metric } = unknown.gate;
  throw usage(
    `${quoteName(text)}: unknown metric ${quoteName(metric)}. Known metrics: ${names}. These are the metrics of the score.`,
  );
}

/** Returns one line per gate, with all digits: a rounded value could seem to pass. */
export function gateLines(outcomes: readonly GateOutcome[], terminal: Terminal): string[] {
  return outcomes.map((outcome) => {
    return `${verdictText(outcome, terminal)}  ${gateText(outcome, terminal.unicode)}`;
  });
}

const VERDICTS = {
  PASSED: ["green", "pass"],
  FAILED: ["red", "FAIL"],
  UNDECIDED: ["yellow", "undecided"],
  UNKNOWN_METRIC: ["red", "unknown metric"],
} as const;

function verdictText({ verdict }: GateOutcome, terminal: Terminal): string {
  const [ink, text] = VERDICTS[verdict];
  return paint(terminal, ink, text);
}

/** "FAIL vmaf.p5 81.250000 < 85", for the line of a job. */
export function missedText(outcome: GateOutcome, unicode: boolean): string {
  return `${VERDICTS[outcome.verdict][1]} ${gateText(outcome, unicode)}`;
}

/** "vmaf.p5 81.250000 < 85", "vmaf.mean 92.610000 to 93.590000 includes 93". */
function gateText({ gate, value, verdict, interval }: GateOutcome, unicode: boolean): string {
  const name = `${printable(gate.metric)}.${gate.stat}`;
  if (verdict === "UNDECIDED" && interval !== undefined)
    return `${name} ${exact(interval.low)} to ${exact(interval.high)} includes ${gate.limit}`;
  const at = unicode ? "≥" : ">=";
  if (value === undefined) return `${name} ${at} ${gate.limit}`;
  return `${name} ${exact(value)} ${verdict === "PASSED" ? at : "<"} ${gate.limit}`;
}

function usage(detail: string): Failure {
  return new Failure("INVALID_REQUEST", `--fail-under ${detail}`);
}
