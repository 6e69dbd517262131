/** The summary of a list of jobs: a line for each, and the totals. */
import { type Job, Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { type GateOutcome, isMissed } from "../../jobs/gates/outcome.ts";
import type { Failure } from "../../platform/failure.ts";
import { wrongCodes } from "../doctor/view.ts";
import { failureOfJob, scoreText, stateName, titleOf } from "../jobs/state.ts";
import { missedText } from "../score/gates.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { cut } from "../terminal/width.ts";

/** A job that has ended, with its gates checked. */
export interface EndedJob {
  readonly job: Job;
  /** Empty for a job without a score, or if there are no gates. */
  readonly gates: readonly GateOutcome[];
  /** Why the gates can't be checked. */
  readonly fault?: Failure;
}

const MAX_NAME_COLUMNS = 28;
/** Minimum width of the reason or the gates before the id column is left out. */
const RESULT_COLUMNS = 36;

/** Returns a line for each job, below a heading. */
export function summaryLines(ended: readonly EndedJob[], terminal: Terminal): string[] {
  return tableLines(ended, columnsFor(terminal), terminal, { heading: true, lastColumns: RESULT_COLUMNS });
}

export function isUnderGate({ gates }: EndedJob): boolean {
  return gates.some(isMissed);
}

function columnsFor({ columns, unicode }: Terminal): readonly TableColumn<EndedJob>[] {
  const most = Number.isFinite(columns) ? MAX_NAME_COLUMNS : Number.POSITIVE_INFINITY;
  return [
    { heading: "ID", text: ({ job }) => job.id, atLeast: 36, dispensable: 1 },
    { heading: "NAME", text: ({ job }) => cut(titleOf(job), most, unicode), atLeast: 0 },
    { heading: "STATE", text: ({ job }) => stateName(job.state), atLeast: 9 },
    { heading: "SCORE", text: ({ job }) => scoreText(job, { unicode }) ?? "-", atLeast: 9, align: "right" },
    { heading: "RESULT", text: (ended) => resultText(ended, unicode), atLeast: 0 },
  ];
}

/**
 * Returns the missed gates, the faults of a pair that was only diagnosed, or the reason why there is no score. The code
 * comes first, because the end is cut.
 */
function resultText({ job, gates, fault }: EndedJob, unicode: boolean): string {
  if (fault !== undefined) return failureText(fault);
  if (job.state === Job_State.SUCCEEDED) {
    const missed = gates.filter(isMissed);
    if (missed.length > 0) return missed.map((outcome) => missedText(outcome, unicode)).join(", ");
    if (job.diagnosis !== undefined) return wrongCodes(job.diagnosis).join(", ") || "nothing wrong";
    return gates.length > 0 ? "pass" : "";
  }
  return job.state === Job_State.CANCELLED ? "" : failureText(failureOfJob(job));
}

function failureText({ code, message }: Failure): string {
  return `${code}: ${message}`;
}

/**
 * Returns "3 jobs: 2 succeeded (1 below a gate), 1 failed". A gate that an estimate leaves undecided counts
 * as missed.
 */
export function totalsLine(ended: readonly EndedJob[]): string {
  const byState = Map.groupBy(ended, ({ job }) => job.state);
  const counts = [Job_State.SUCCEEDED, Job_State.FAILED, Job_State.CANCELLED].flatMap((state) => {
    const jobs = byState.get(state) ?? [];
    const missed = jobs.filter(isUnderGate);
    const undecided = missed.filter(({ gates }) =>
      gates.every(({ verdict }) => verdict === "PASSED" || verdict === "UNDECIDED"),
    ).length;
    const wrong = jobs.filter(({ job }) => job.diagnosis && wrongCodes(job.diagnosis).length > 0).length;
    const notes = [
      ...(wrong > 0 ? [`${wrong} with findings`] : []),
      ...(missed.length > undecided ? [`${missed.length - undecided} below a gate`] : []),
      ...(undecided > 0 ? [`${undecided} undecided`] : []),
    ];
    const under = notes.length > 0 ? ` (${notes.join(", ")})` : "";
    return jobs.length === 0 ? [] : [`${jobs.length} ${stateName(state).toLowerCase()}${under}`];
  });
  return `${ended.length} ${ended.length === 1 ? "job" : "jobs"}: ${counts.join(", ")}`;
}
