/** The operations on jobs that the transports call. */
import { create } from "@bufbuild/protobuf";
import {
  type CancelJobRequest,
  type CancelJobResponse,
  CancelJobResponseSchema,
  type CancelJobsRequest,
  type CancelJobsResponse,
  type DeleteJobRequest,
  type DeleteJobResponse,
  DeleteJobResponseSchema,
  type DeleteJobsRequest,
  type DeleteJobsResponse,
  type DeleteStillRequest,
  type DeleteStillResponse,
  type GetJobFramesRequest,
  type GetJobRequest,
  type GetJobResponse,
  GetJobResponseSchema,
  type GetStillRequest,
  type GetStillResponse,
  type ListJobsRequest,
  type ListJobsResponse,
  type ListStillsRequest,
  type ListStillsResponse,
  type RequestStillsRequest,
  type RequestStillsResponse,
  type StreamJobsRequest,
  type StreamJobsResponse,
  type SubmitJobRequest,
  type SubmitJobResponse,
  type SubmitJobsRequest,
  type SubmitJobsResponse,
  SubmitJobsResponseSchema,
  type UpdateJobRequest,
  type UpdateJobResponse,
  UpdateJobResponseSchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import { ownJob } from "../api/access.ts";
import { waitWhileAdmitted, whileAdmitted } from "../api/admitted.ts";
import { answer, answerInParts, shuttingDown } from "../api/call.ts";
import type { CallContext, FramePart, JobOperations, Waited } from "../api/operations.ts";
import type { EventBuffer } from "../events/event-buffer.ts";
import { JobStream } from "../events/stream.ts";
import { jobDetailMessage, jobMessage } from "../messages/job.ts";
import { filterOf } from "../requests/filter.ts";
import { deleteStill, getStill, listStills, requestStills } from "../stills/stills.ts";
import { JobChanges, type JobChangesOptions } from "./changes.ts";
import { jobFrames } from "./frames.ts";
import { listJobs } from "./list.ts";
import { type Submission, submitBatch, submitOne } from "./submit.ts";
import { waitForJob } from "./wait.ts";

/** Maximum open streams of a tenant per controller. */
const MAX_STREAMS = 100;

export interface JobServiceOptions extends Submission, JobChangesOptions {
  readonly log: Log;
  readonly eventBuffer: EventBuffer;
  /** Milliseconds that a job is kept after it ended. */
  readonly retentionMs: number;
  /** Aborts when callers may no longer wait for jobs. */
  readonly waitsEnd: AbortSignal;
}

export class JobService implements JobOperations {
  readonly #options: JobServiceOptions;
  readonly #changes: JobChanges;
  readonly #streams = new Map<string, number>();

  constructor(options: JobServiceOptions) {
    this.#options = options;
    this.#changes = new JobChanges(options);
  }

  /** Number of open streams. */
  get streams(): number {
    return [...this.#streams.values()].reduce((sum, count) => sum + count, 0);
  }

  submitJob(request: SubmitJobRequest, context: CallContext): Promise<SubmitJobResponse> {
    return answer(this.#options.log, context, () => this.#submit(request, context));
  }

  submitAwaited(
    request: SubmitJobRequest,
    { resultOnly }: { readonly resultOnly: boolean },
    context: CallContext,
  ): Promise<SubmitJobResponse> {
    const { log, fleet, waitsEnd } = this.#options;
    const requireScorer = async () => {
      if (resultOnly && waitsEnd.aborted) throw shuttingDown();
      await fleet.requireNode(context.principal.tenant);
    };
    return answer(log, context, () => this.#submit(request, context, requireScorer));
  }

  submitJobs({ jobs }: SubmitJobsRequest, context: CallContext): Promise<SubmitJobsResponse> {
    return answer(this.#options.log, context, async () => {
      const stored = await submitBatch(jobs, context.principal, this.#options);
      if (stored.every(({ existed }) => existed)) context.entry?.changedNothing();
      return create(SubmitJobsResponseSchema, { jobs: stored });
    });
  }

  getJob({ id }: GetJobRequest, context: CallContext): Promise<GetJobResponse> {
    const { log, store, retentionMs } = this.#options;
    return answer(log, context, async () => {
      const detail = await ownJob(store, id, (job) => store.jobDetail(context.principal.tenant, job));
      return create(GetJobResponseSchema, { job: jobDetailMessage(detail, retentionMs) });
    });
  }

  listJobs(request: ListJobsRequest, context: CallContext): Promise<ListJobsResponse> {
    const { log, store } = this.#options;
    return answer(log, context, () => listJobs(store, context.principal.tenant, request));
  }

  cancelJob({ id }: CancelJobRequest, context: CallContext): Promise<CancelJobResponse> {
    return answer(this.#options.log, context, async () => {
      const { job, changed } = await this.#changes.cancel(id, context.principal.tenant);
      if (!changed) context.entry?.changedNothing();
      return create(CancelJobResponseSchema, { job: jobMessage(job) });
    });
  }

  cancelJobs(request: CancelJobsRequest, context: CallContext): AsyncIterable<CancelJobsResponse> {
    return answerInParts(this.#options.log, context, () => this.#changes.cancelMany(request, context));
  }

  deleteJob(request: DeleteJobRequest, context: CallContext): Promise<DeleteJobResponse> {
    return answer(this.#options.log, context, async () => {
      const job = await this.#changes.delete(request, context.principal.tenant);
      return create(DeleteJobResponseSchema, { job: jobMessage(job) });
    });
  }

  deleteJobs(request: DeleteJobsRequest, context: CallContext): AsyncIterable<DeleteJobsResponse> {
    return answerInParts(this.#options.log, context, () => this.#changes.deleteMany(request, context));
  }

  updateJob(request: UpdateJobRequest, context: CallContext): Promise<UpdateJobResponse> {
    return answer(this.#options.log, context, async () => {
      const { job, changed } = await this.#changes.relabel(request, context.principal.tenant);
      if (!changed) context.entry?.changedNothing();
      return create(UpdateJobResponseSchema, { job: jobMessage(job) });
    });
  }

  streamJobs(request: StreamJobsRequest, context: CallContext): AsyncIterable<StreamJobsResponse> {
    return answerInParts(this.#options.log, context, () => this.#stream(request, context));
  }

  getJobFrames(request: GetJobFramesRequest, context: CallContext): AsyncIterable<FramePart> {
    const { log, store } = this.#options;
    const frames = () => jobFrames(store, context.principal.tenant, request);
    return answerInParts(log, context, () => whileAdmitted(context, frames));
  }

  listStills(request: ListStillsRequest, context: CallContext): Promise<ListStillsResponse> {
    const { log, store } = this.#options;
    return answer(log, context, () => listStills(store, context.principal.tenant, request));
  }

  getStill(request: GetStillRequest, context: CallContext): Promise<GetStillResponse> {
    const { log, store } = this.#options;
    return answer(log, context, () => getStill(store, context.principal.tenant, request));
  }

  requestStills(request: RequestStillsRequest, context: CallContext): Promise<RequestStillsResponse> {
    const { log, store } = this.#options;
    return answer(log, context, () => requestStills(store, context.principal.tenant, request));
  }

  deleteStill(request: DeleteStillRequest, context: CallContext): Promise<DeleteStillResponse> {
    const { log, store, capacityReleased } = this.#options;
    return answer(log, context, () =>
      deleteStill(store, context.principal.tenant, request, capacityReleased),
    );
  }

  waitForJob(
    jobId: string,
    { waitMs, keep }: { readonly waitMs: number; readonly keep: boolean },
    context: CallContext,
  ): Promise<Waited> {
    const { principal, signal } = context;
    const { store, eventBuffer, waitsEnd: stopping } = this.#options;
    return answer(this.#options.log, context, async () => {
      try {
        return await waitWhileAdmitted(context, (ends) =>
          waitForJob({ store, eventBuffer, stopping }, principal.tenant, jobId, waitMs, ends),
        );
      } finally {
        if (signal.aborted && !keep) await this.#cancelLeft(jobId, context);
      }
    });
  }

  async #submit(
    request: SubmitJobRequest,
    { principal, entry }: CallContext,
    requireMore?: () => Promise<void>,
  ): Promise<SubmitJobResponse> {
    const stored = await submitOne(request, principal, this.#options, requireMore);
    if (stored.existed) entry?.changedNothing();
    return stored;
  }

  /** Cancels a job whose caller disconnected; nobody else waits for it. */
  async #cancelLeft(id: string, { principal, requestId }: CallContext): Promise<void> {
    try {
      await this.#changes.cancel(id, principal.tenant);
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (failure.code === "JOB_FINISHED") return;
      this.#options.log.warn(
        { requestId, jobId: id, err: failure },
        "failed to cancel a job whose caller disconnected; it continues",
      );
    }
  }

  async *#stream(request: StreamJobsRequest, context: CallContext): AsyncGenerator<StreamJobsResponse> {
    const { stopping, metrics } = this.#options;
    const { tenant } = context.principal;
    const stream = new JobStream(this.#options, tenant, filterOf(request), request);
    const leave = this.#admit(tenant);
    try {
      yield* whileAdmitted(context, (signal) => stream.run(AbortSignal.any([signal, stopping])));
      if (stopping.aborted && !context.signal.aborted) throw shuttingDown();
    } catch (thrown) {
      if (Failure.from(thrown).code === "STREAM_TOO_SLOW") metrics.streamsCut.inc();
      throw thrown;
    } finally {
      leave();
    }
  }

  #admit(tenant: string): () => void {
    const open = this.#streams.get(tenant) ?? 0;
    if (open >= MAX_STREAMS) {
      throw new Failure("TOO_MANY_STREAMS", `${open} streams are open, which is the limit. Close some.`, {
        found: { streams: open, limit: MAX_STREAMS },
      });
    }
    this.#streams.set(tenant, open + 1);
    return () => {
      const left = (this.#streams.get(tenant) ?? 1) - 1;
      if (left > 0) this.#streams.set(tenant, left);
      else this.#streams.delete(tenant);
    };
  }
}
