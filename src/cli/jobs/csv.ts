/** The tables of a job as CSV. docs/cli.md documents the columns. */
import type { Job } from "../../gen/proto/svc/v1/job_pb.ts";
import type { ScoreResult } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { scoredRate } from "../../jobs/frame-rate.ts";
import { jobJson } from "../../messages/json.ts";
import { Failure } from "../../platform/failure.ts";
import type { JobAnswer } from "../../report/csv/jobs.ts";
import { scoresCsv } from "../../report/csv/scores.ts";
import { spansCsv } from "../../report/csv/spans.ts";
import { workCsv } from "../../report/csv/work.ts";
import { stateName } from "./state.ts";

/** The names of the tables; the first is the default. */
export const JOB_TABLES = ["scores", "shots", "segments", "tasks"] as const;
export type JobTable = (typeof JOB_TABLES)[number];

/** Throws JOB_NOT_SUCCEEDED or JOB_NOT_SCORED if the job has no such table. */
export function jobCsv(table: JobTable, job: Job): Iterable<string> {
  if (table === "tasks") return workCsv((jobJson(job) as JobAnswer).work ?? []);
  const result = resultOf(job);
  if (table === "scores") return scoresCsv(result);
  return spansCsv(table === "shots" ? result.shots : result.streamSegments, scoredRate(result));
}

function resultOf({ id, state, spec, result }: Job): ScoreResult {
  if (result !== undefined) return result;
  if (spec?.diagnoseOnly)
    throw new Failure("JOB_NOT_SCORED", `Job ${id} only diagnoses its pair, so it has no scores.`);
  throw new Failure(
    "JOB_NOT_SUCCEEDED",
    `Job ${id} has no scores: its state is ${stateName(state)}. --table tasks prints its tasks.`,
  );
}
