/** The jobs to rescore: by id, or all that match a filter. */
import type { Connection } from "../../client/connection/connection.ts";
import { type Job, Job_State, JobService } from "../../gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../platform/failure.ts";
import { ALL, pagesOf } from "../connection/pages.ts";
import { type FilterFlags, filterOf } from "../jobs/filter.ts";
import { fetchJob } from "../jobs/get.ts";
import { stateName } from "../jobs/state.ts";

/** Limit of selected jobs: all of them are in memory while they are submitted and compared. */
const MAX_JOBS = 100_000;

/** Returns the jobs of a filter that were scored, newest first. Throws INVALID_REQUEST if they are too many. */
export async function succeededJobs(
  connection: Connection,
  flags: FilterFlags,
  signal: AbortSignal,
): Promise<readonly Job[]> {
  const filter = { ...filterOf(flags), states: [Job_State.SUCCEEDED] };
  const pages = pagesOf(async (at) => {
    const page = await connection.call(JobService.method.listJobs, { ...filter, ...at }, { signal });
    return { things: page.jobs, nextPageToken: page.nextPageToken };
  }, ALL);
  const jobs: Job[] = [];
  for await (const page of pages) {
    jobs.push(...page.filter(({ spec }) => spec?.diagnoseOnly !== true));
    if (jobs.length <= MAX_JOBS) continue;
    throw new Failure(
      "INVALID_REQUEST",
      `More than ${MAX_JOBS} jobs match. Select fewer, for example with --since and --until.`,
    );
  }
  return jobs;
}

/** Throws JOB_NOT_FOUND, JOB_NOT_SUCCEEDED, JOB_NOT_SCORED. */
export async function succeededJob(connection: Connection, id: string, signal: AbortSignal): Promise<Job> {
  const job = await fetchJob(connection, id, signal);
  if (job.spec?.diagnoseOnly)
    throw new Failure(
      "JOB_NOT_SCORED",
      `Job ${id} only diagnoses its pair, so it has no score to compare with.`,
    );
  if (job.state === Job_State.SUCCEEDED) return job;
  throw new Failure(
    "JOB_NOT_SUCCEEDED",
    `Job ${id} is ${stateName(job.state)}. Only jobs that succeeded have a score to compare with; submit the pair with svc jobs submit.`,
  );
}
