/** Finishes estimates: submits a job that scores the rest of the frames. */
import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { Principal } from "../../auth/principal.ts";
import { framesIn } from "../../engine/planning/plan.ts";
import { readPlan } from "../../engine/planning/plan-json.ts";
import { readUnits, restOf } from "../../engine/results/rounds.ts";
import { type FinishJobResponse, FinishJobResponseSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../platform/failure.ts";
import type { Estimated, Finishing, JobRow } from "../../store/contract/job-records.ts";
import { ownJob, ownScoredJob } from "../api/access.ts";
import { jobMessage } from "../messages/job.ts";
import { newSegments } from "../reports/plan-report.ts";
import { readSpec, withoutEstimate } from "../requests/job-spec.ts";
import { endSubmit, failSubmit, submitSpan, traceparentIn } from "../telemetry/tracing.ts";
import type { Submission } from "./submit.ts";

export interface FinishOptions extends Pick<Submission, "store" | "metrics" | "limits"> {
  /** Approximate duration of a segment. */
  readonly segmentSeconds: number;
}

/** Implements JobService.FinishJob. Also throws what `ownJob` and the tenant's limits throw. */
export async function finishJob(
  id: string,
  principal: Principal,
  options: FinishOptions,
): Promise<FinishJobResponse> {
  const { tenant } = principal;
  const known = await options.store.finishingJob(tenant, id);
  const { job, created } = known ? { job: known, created: false } : await store(id, principal, options);
  return create(FinishJobResponseSchema, { job: jobMessage(job), existed: !created });
}

async function store(
  id: string,
  { tenant, subject }: Principal,
  { store, metrics, limits, segmentSeconds }: FinishOptions,
): Promise<{ readonly job: JobRow; readonly created: boolean }> {
  await ownScoredJob(store, tenant, id);
  const admission = await limits.admit(tenant, 1).catch((thrown: unknown) => {
    metrics.submitRefused(Failure.from(thrown));
    throw thrown;
  });
  const span = submitSpan(1);
  const finish = (estimated: Estimated): Finishing => {
    const traceparent = traceparentIn(span);
    const { job, segments } = finishing(estimated, segmentSeconds);
    return {
      job: { ...job, submittedBy: subject, ...(traceparent !== undefined && { traceparent }) },
      segments,
    };
  };
  try {
    const stored = await ownJob(store, id, (own) => store.finishJob(tenant, own, finish));
    admission.stored(stored.created ? 1 : 0);
    metrics.submitted.inc(stored.created ? 1 : 0);
    endSubmit(span, stored.job.id, !stored.created);
    return stored;
  } catch (thrown) {
    const failure = Failure.from(thrown);
    admission.failed(failure);
    failSubmit(span, failure.code);
    throw failure;
  }
}

/**
 * Returns a job with the spec of the estimated one, except for its estimate, and the segments that are left to score.
 */
function finishing({ spec: text, plan, units, scored }: Estimated, segmentSeconds: number): Finishing {
  const { spec, ...stored } = withoutEstimate(readSpec(text));
  const { name, labels, priority } = spec;
  const facts = readPlan(plan);
  const rest = restOf(readUnits(units), new Set(scored), framesIn(segmentSeconds, facts));
  const job = { id: randomUUID(), spec: stored.text, fingerprint: stored.fingerprint, submittedBy: "" };
  return { job: { ...job, name, labels, priority }, segments: newSegments(rest, facts) };
}
