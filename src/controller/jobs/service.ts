/** The operations on jobs that the transports call. */
import { create } from "@bufbuild/protobuf";
import {
  CancelJobResponseSchema,
  DeleteJobResponseSchema,
  GetJobResponseSchema,
  type StreamJobsRequest,
  type StreamJobsResponse,
  type SubmitJobRequest,
  type SubmitJobResponse,
  SubmitJobsResponseSchema,
  UpdateJobResponseSchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import { ownJob } from "../api/access.ts";
import { waitWhileAdmitted, whileAdmitted } from "../api/admitted.ts";
import { shuttingDown } from "../api/call.ts";
import type { CallContext, JobOperations } from "../api/operations.ts";
import type { EventBuffer } from "../events/event-buffer.ts";
import { JobStream } from "../events/stream.ts";
import { jobDetailMessage, jobMessage } from "../messages/job.ts";
import { filterOf } from "../requests/filter.ts";
import type { ResultReader } from "../results/reader.ts";
import { clipOperations } from "../stills/clips.ts";
import { stillOperations } from "../stills/stills.ts";
import { submitBatch } from "./batch.ts";
import { JobChanges, type JobChangesOptions } from "./changes.ts";
import { type FinishOptions, finishJob } from "./finish.ts";
import { jobFrames } from "./frames.ts";
import { listJobs } from "./list.ts";
import type { OpenStreams } from "./open-streams.ts";
import { type Submission, submitOne } from "./submit.ts";
import { waitForJob } from "./wait.ts";

export interface JobServiceOptions extends Submission, JobChangesOptions, FinishOptions {
  readonly log: Log;
  readonly results: ResultReader;
  readonly eventBuffer: EventBuffer;
  /** Streams of all tenants that are open at this controller. */
  readonly streams: OpenStreams;
  /** Milliseconds that a job is kept after it ended. */
  readonly retentionMs: number;
  /** Aborts when callers may no longer wait for jobs. */
  readonly waitsEnd: AbortSignal;
}

export function jobOperations(options: JobServiceOptions): JobOperations {
  const changes = new JobChanges(options);
  return {
    ...submissions(options),
    ...reads(options),
    ...changeOperations(changes),
    async finishJob({ id }, { principal, entry }) {
      const finished = await finishJob(id, principal, options);
      if (finished.existed) entry?.changedNothing();
      return finished;
    },
    ...stillOperations(options.store, options.results),
    ...clipOperations(options.store, options.results),
    async waitForJob(jobId, { waitMs, keep }, context) {
      const { store, eventBuffer, waitsEnd: stopping } = options;
      try {
        return await waitWhileAdmitted(context, (ends) =>
          waitForJob({ store, eventBuffer, stopping }, context.principal.tenant, jobId, waitMs, ends),
        );
      } finally {
        if (context.signal.aborted && !keep) await cancelLeft(changes, options.log, jobId, context);
      }
    },
  };
}

function submissions(
  options: JobServiceOptions,
): Pick<JobOperations, "submitJob" | "submitAwaited" | "submitJobs"> {
  const { fleet, waitsEnd } = options;
  const submit = async (
    request: SubmitJobRequest,
    { principal, entry }: CallContext,
    requireMore?: () => Promise<void>,
  ): Promise<SubmitJobResponse> => {
    const stored = await submitOne(request, principal, options, requireMore);
    if (stored.existed) entry?.changedNothing();
    return stored;
  };
  return {
    submitJob: (request, context) => submit(request, context),
    submitAwaited: (request, { resultOnly }, context) =>
      submit(request, context, async () => {
        if (resultOnly && waitsEnd.aborted) throw shuttingDown();
        await fleet.requireNode(context.principal.tenant);
      }),
    async submitJobs({ jobs }, { principal, entry }) {
      const stored = await submitBatch(jobs, principal, options);
      if (stored.every(({ existed }) => existed)) entry?.changedNothing();
      return create(SubmitJobsResponseSchema, { jobs: stored });
    },
  };
}

function reads(
  options: JobServiceOptions,
): Pick<JobOperations, "getJob" | "listJobs" | "getJobFrames" | "streamJobs"> {
  const { store, retentionMs } = options;
  return {
    async getJob({ id }, { principal }) {
      const detail = await ownJob(store, id, (job) => store.jobDetail(principal.tenant, job));
      return create(GetJobResponseSchema, { job: jobDetailMessage(detail, retentionMs) });
    },
    listJobs: (request, { principal }) => listJobs(store, principal.tenant, request),
    getJobFrames: (request, context) =>
      whileAdmitted(context, () => jobFrames(options, context.principal.tenant, request)),
    streamJobs: (request, context) => stream(options, request, context),
  };
}

/** The steps of cancelJobs and deleteJobs check the request first, and end when the context's signal aborts. */
function changeOperations(
  changes: JobChanges,
): Pick<JobOperations, "cancelJob" | "cancelJobs" | "deleteJob" | "deleteJobs" | "updateJob"> {
  return {
    async cancelJob({ id }, { principal, entry }) {
      const { job, changed } = await changes.cancel(id, principal.tenant);
      if (!changed) entry?.changedNothing();
      return create(CancelJobResponseSchema, { job: jobMessage(job) });
    },
    cancelJobs: (request, context) => changes.cancelMany(request, context),
    async deleteJob(request, { principal }) {
      const job = await changes.delete(request, principal.tenant);
      return create(DeleteJobResponseSchema, { job: jobMessage(job) });
    },
    deleteJobs: (request, context) => changes.deleteMany(request, context),
    async updateJob(request, { principal, entry }) {
      const { job, changed } = await changes.relabel(request, principal.tenant);
      if (!changed) entry?.changedNothing();
      return create(UpdateJobResponseSchema, { job: jobMessage(job) });
    },
  };
}

/** Cancels a job whose caller disconnected; nobody else waits for it. */
async function cancelLeft(
  changes: JobChanges,
  log: Log,
  id: string,
  { principal, requestId }: CallContext,
): Promise<void> {
  try {
    await changes.cancel(id, principal.tenant);
  } catch (thrown) {
    const failure = Failure.from(thrown);
    if (failure.code === "JOB_FINISHED") return;
    log.warn(
      { requestId, jobId: id, err: failure },
      "failed to cancel a job whose caller disconnected; it continues",
    );
  }
}

/**
 * Yields until the context's signal aborts. Throws STREAM_TOO_SLOW if the consumer falls too far behind, and what
 * `readmit` throws, at most a second after it would throw.
 */
async function* stream(
  options: JobServiceOptions,
  request: StreamJobsRequest,
  context: CallContext,
): AsyncGenerator<StreamJobsResponse> {
  const { stopping, metrics, streams } = options;
  const { tenant } = context.principal;
  const jobs = new JobStream(options, tenant, filterOf(request), request);
  const leave = streams.enter(tenant);
  try {
    yield* whileAdmitted(context, (signal) => jobs.run(AbortSignal.any([signal, stopping])));
    if (stopping.aborted && !context.signal.aborted) throw shuttingDown();
  } catch (thrown) {
    if (Failure.from(thrown).code === "STREAM_TOO_SLOW") metrics.streamsCut.inc();
    throw thrown;
  } finally {
    leave();
  }
}
