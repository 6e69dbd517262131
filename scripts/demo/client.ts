/** The demo's client: submits a pair, follows the stream of its job, and returns the ended job. */

import { fetchJob } from "../../src/cli/jobs/get.ts";
import { failureOfJob, progressOf } from "../../src/cli/jobs/state.ts";
import { awaitJobs } from "../../src/cli/jobs/wait.ts";
import type { ProgressLine } from "../../src/cli/score/progress.ts";
import type { Connection } from "../../src/client/connection/connection.ts";
import { type Job, Job_State, JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { Pair } from "./sample.ts";

/** Submits the pair. Returns the id of its job. Throws Failure. */
export async function submitPair(connection: Connection, pair: Pair, signal: AbortSignal): Promise<string> {
  const request = { job: { ...pair, name: "demo", features: ["psnr"] } };
  const { job } = await connection.call(JobService.method.submitJob, request, { signal });
  if (job === undefined) throw new Error("The service returned no job.");
  return job.id;
}

/** Returns the job once it has succeeded; shows its progress on the line. Throws its failure. */
export async function followJob(
  connection: Connection,
  id: string,
  line: ProgressLine,
  signal: AbortSignal,
): Promise<Job> {
  const onJob = ({ progress }: Job) =>
    progress ? line.update(progressOf(progress)) : line.note("Reading the two files …");
  const [ended] = await awaitJobs(connection, [id], { onJob }, signal);
  if (ended?.state !== Job_State.SUCCEEDED) {
    throw ended === undefined ? new Error("The service lost the job.") : failureOfJob(ended);
  }
  return fetchJob(connection, id, signal);
}
