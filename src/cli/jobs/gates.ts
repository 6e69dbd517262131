/** The gates that are stored with a job. */
import { type Job, type JobGate, JobGate_Verdict as Verdict } from "../../gen/proto/svc/v1/job_pb.ts";
import { STATISTICS } from "../../jobs/gates/gate.ts";
import { type GateOutcome, isMissed } from "../../jobs/gates/outcome.ts";
import { missedText } from "../score/gates.ts";

const VERDICTS: Readonly<Record<number, GateOutcome["verdict"]>> = {
  [Verdict.PASSED]: "PASSED",
  [Verdict.FAILED]: "FAILED",
  [Verdict.UNDECIDED]: "UNDECIDED",
  [Verdict.UNKNOWN_METRIC]: "UNKNOWN_METRIC",
};

/**
 * Returns the gates of a job that has a result. A gate with a verdict or statistic unknown to this version does not
 * pass.
 */
export function keptGates({ gates }: Pick<Job, "gates">): readonly GateOutcome[] {
  return gates.flatMap((gate) => (gate.verdict === Verdict.VERDICT_UNSPECIFIED ? [] : [outcomeOf(gate)]));
}

function outcomeOf({ gate: text, metric, statistic, limit, verdict, value, interval }: JobGate): GateOutcome {
  const stat = STATISTICS.find((known) => known === statistic);
  return {
    gate: { text, metric, stat: stat ?? "mean", limit },
    verdict: (stat && VERDICTS[verdict]) ?? "UNKNOWN_METRIC",
    ...(value !== undefined && { value }),
    ...(interval && { interval }),
  };
}

/** Returns the gates that a job misses: "FAIL vmaf.p5 81.250000 < 85"; empty if it misses none. */
export function missedGates(job: Pick<Job, "gates">, unicode: boolean): string {
  const missed = keptGates(job).filter(isMissed);
  return missed.map((outcome) => missedText(outcome, unicode)).join(", ");
}
