/** The gates of a job: checked at submission, and when there is a score. */
import type { PairRequest } from "../../engine/contract/request.ts";
import type { JobSpec } from "../../gen/proto/svc/v1/job_pb.ts";
import {
  expectEstimated,
  expectGate,
  type Gate,
  GateFault,
  MAX_GATES,
  parseGate,
} from "../../jobs/gates/gate.ts";
import { type GateOutcome, type JudgedScore, judgeGates } from "../../jobs/gates/outcome.ts";
import { belongsTo, FEATURES } from "../../jobs/scores/metric-names.ts";
import { invalid } from "../../platform/failure.ts";

/** Refuses gates that the score of a request cannot be checked against. Throws INVALID_REQUEST. */
export function checkGates(
  { gates, estimate }: Pick<JobSpec, "gates" | "estimate">,
  request: Pick<PairRequest, "models" | "features">,
): void {
  if (gates.length > MAX_GATES)
    throw invalid(`gates has ${gates.length} entries; at most ${MAX_GATES} are allowed.`);
  const twice = gates.find((gate, index) => gates.indexOf(gate) !== index);
  try {
    for (const text of gates) {
      const gate = expectGate(parseGate(text), request, adding);
      if (estimate !== undefined) expectEstimated(gate, request, "estimate");
    }
  } catch (thrown) {
    if (thrown instanceof GateFault) throw invalid(`gates: ${thrown.message}`);
    throw thrown;
  }
  if (twice !== undefined) throw invalid(`gates contains ${twice} twice.`);
}

function adding(metric: string): string {
  const askable = FEATURES.find((name) => belongsTo(metric, name));
  return askable ? `Add ${askable} to features.` : "Add more with models and features.";
}

/** Returns the gates of a stored spec. */
export function gatesOf({ gates }: Pick<JobSpec, "gates">): readonly Gate[] {
  return gates.map(parseGate);
}

/** Checks a score against the gates of a stored spec. */
export function judged(spec: JobSpec, score: JudgedScore): readonly GateOutcome[] {
  return judgeGates(gatesOf(spec), score);
}
