/** Cancels, deletes and relabels jobs, one or all of a filter. */
import { create } from "@bufbuild/protobuf";
import {
  type CancelJobsRequest,
  type CancelJobsResponse,
  CancelJobsResponseSchema,
  type DeleteJobRequest,
  type DeleteJobsRequest,
  type DeleteJobsResponse,
  DeleteJobsResponseSchema,
  type UpdateJobRequest,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { isTerminal, JOB_TRANSITIONS } from "../../jobs/states.ts";
import { Failure } from "../../platform/failure.ts";
import type { JobRow, JobsStep } from "../../store/contract/job-records.ts";
import type { Store } from "../../store/contract/store.ts";
import { ownJob } from "../api/access.ts";
import { whileAdmitted } from "../api/admitted.ts";
import { cancelled, shuttingDown } from "../api/call.ts";
import type { CallContext } from "../api/operations.ts";
import {
  type Choice,
  inSteps,
  type Progress,
  toCancel,
  toDelete,
  type Verb,
} from "../requests/bulk-choice.ts";
import { relabelling } from "../requests/labels.ts";
import type { ControllerMetrics } from "../telemetry/metrics.ts";

export interface JobChangesOptions {
  readonly store: Store;
  readonly metrics: ControllerMetrics;
  /** Aborts when the controller stops. */
  readonly stopping: AbortSignal;
}

/** The outcome for one job. */
interface Changed {
  readonly job: JobRow;
  readonly changed: boolean;
}

type StepOf = (...args: Parameters<Store["cancelSome"]>) => Promise<JobsStep>;

export class JobChanges {
  readonly #options: JobChangesOptions;

  constructor(options: JobChangesOptions) {
    this.#options = options;
  }

  /** Throws JOB_FINISHED, and what `ownJob` throws. */
  async cancel(id: string, tenant: string): Promise<Changed> {
    const { store } = this.#options;
    const { job, changed } = await ownJob(store, id, (own) => store.cancelJob(tenant, own));
    if (changed) this.#countCancelled(1);
    else if (job.state !== "CANCELLED") {
      throw new Failure("JOB_FINISHED", `The job has already ended: it is ${job.state}.`, {
        found: { state: job.state },
      });
    }
    return { job, changed };
  }

  async *cancelMany(request: CancelJobsRequest, context: CallContext): AsyncGenerator<CancelJobsResponse> {
    const { store } = this.#options;
    const step: StepOf = async (...args) => {
      const done = await store.cancelSome(...args);
      this.#countCancelled(done.jobs.length);
      return done;
    };
    for await (const { matched, changed } of this.#many(toCancel(request), "cancelled", step, context)) {
      yield create(CancelJobsResponseSchema, { matched, cancelled: changed });
    }
  }

  /** Returns the job as it was. Throws JOB_NOT_FINISHED, and what `ownJob` throws. */
  async delete({ id, cancel }: DeleteJobRequest, tenant: string): Promise<JobRow> {
    const { store } = this.#options;
    const { job, deleted } = await ownJob(store, id, (own) => store.deleteJob(tenant, own, cancel));
    if (!deleted) {
      throw new Failure(
        "JOB_NOT_FINISHED",
        `The job is ${job.state}; only jobs that have ended can be deleted. Cancel it first, or set cancel: true.`,
        { found: { state: job.state } },
      );
    }
    this.#countCancelled(openOf([job]));
    return job;
  }

  async *deleteMany(request: DeleteJobsRequest, context: CallContext): AsyncGenerator<DeleteJobsResponse> {
    const { store } = this.#options;
    const step: StepOf = async (...args) => {
      const done = await store.deleteSome(...args);
      this.#countCancelled(openOf(done.jobs));
      return done;
    };
    for await (const { matched, changed } of this.#many(toDelete(request), "deleted", step, context)) {
      yield create(DeleteJobsResponseSchema, { matched, deleted: changed });
    }
  }

  /** Throws INVALID_REQUEST, and what `ownJob` throws. */
  async relabel(request: UpdateJobRequest, tenant: string): Promise<Changed> {
    const { store } = this.#options;
    const relabel = relabelling(request);
    return ownJob(store, request.id, (own) => store.relabelJob(tenant, own, relabel));
  }

  #many(choice: Choice, verb: Verb, stepOf: StepOf, context: CallContext): AsyncIterable<Progress> {
    const { store, stopping } = this.#options;
    const { tenant } = context.principal;
    return whileAdmitted(context, (signal) =>
      inSteps(choice, {
        verb,
        entry: context.entry,
        count: (filter) => store.countJobs(tenant, filter),
        step: (filter, after) => stepOf(tenant, filter, after),
        checkContinue: () => {
          if (context.signal.aborted) throw cancelled();
          signal.throwIfAborted();
          if (stopping.aborted) throw shuttingDown();
        },
      }),
    );
  }

  #countCancelled(jobs: number): void {
    this.#options.metrics.ended.inc({ state: "CANCELLED" }, jobs);
  }
}

/** Returns how many of the jobs had not ended before the change. */
function openOf(jobs: readonly JobRow[]): number {
  return jobs.filter(({ state }) => !isTerminal(JOB_TRANSITIONS, state)).length;
}
