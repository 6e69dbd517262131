/** Submission of jobs. Everything that can be rejected is rejected before anything is stored. */
import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { Principal } from "../../auth/principal.ts";
import { SIDES } from "../../engine/contract/request.ts";
import {
  type SubmitJobRequest,
  type SubmitJobResponse,
  SubmitJobResponseSchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import type { DefaultModelsOf } from "../../jobs/default-models.ts";
import type { FindingsPolicyOf } from "../../jobs/findings-policy.ts";
import { isManifest } from "../../jobs/media/titles.ts";
import { DIAGNOSIS_CLASS, needToPlan, type PlanNeed, planClass, TITLE_CLASS } from "../../jobs/work.ts";
import { Failure } from "../../platform/failure.ts";
import type { Span } from "../../platform/observability/span.ts";
import type { JobRow, NewJob } from "../../store/contract/job-records.ts";
import type { Store } from "../../store/contract/store.ts";
import { jobMessage } from "../messages/job.ts";
import { checkSpec, idempotencyKeyOf } from "../requests/job-spec.ts";
import type { MediaPolicy } from "../requests/media-policy.ts";
import { classFor, refuseTitle, titleOf } from "../requests/title.ts";
import type { Fleet } from "../scheduling/fleet.ts";
import type { Schedule } from "../scheduling/schedule.ts";
import type { ControllerMetrics } from "../telemetry/metrics.ts";
import { endSubmit, failSubmit, submitSpan, traceparentIn } from "../telemetry/tracing.ts";
import type { Uploads } from "../uploads/uploads.ts";
import type { RemoteVideos } from "../videos/remote-videos.ts";
import { answersOf } from "./answers.ts";
import { type NewSpec, withObjectVersions } from "./look.ts";
import type { Admission, SubmitLimits } from "./submit-limits.ts";

/** Most sets of models that a tenant's unplanned jobs can have; each set is a work class. */
const MAX_MODEL_SETS = 256;

export interface Submission {
  readonly store: Store;
  readonly fleet: Fleet;
  readonly metrics: ControllerMetrics;
  readonly schedule: Pick<Schedule, "classesOf">;
  readonly limits: SubmitLimits;
  /** Which files jobs may name. */
  readonly media: MediaPolicy;
  readonly videos: RemoteVideos;
  /** undefined: this controller takes no uploads. */
  readonly uploads: Uploads | undefined;
  readonly defaultModelsOf: DefaultModelsOf;
  readonly findingsOf: FindingsPolicyOf;
}

/** Stores one job. `requireMore` throws if a requirement of its caller is not met. Throws Failure. */
export async function submitOne(
  request: SubmitJobRequest,
  principal: Principal,
  submission: Submission,
  requireMore?: () => Promise<void>,
): Promise<SubmitJobResponse> {
  refuseTitle(request.job);
  const checked = await checkJob(request, principal, submission);
  const insert: Insert<StoredJob> = (jobs) => submission.store.insertJobs(principal.tenant, jobs);
  const [stored] = await storeJobs([checked], principal, submission, insert, requireMore);
  return submitResponse(stored as StoredJob);
}

export function submitResponse({ job, created }: StoredJob): SubmitJobResponse {
  return create(SubmitJobResponseSchema, { job: jobMessage(job), existed: !created });
}

/** Checks everything about a job that does not depend on other jobs. Throws Failure. */
export async function checkJob(
  request: SubmitJobRequest,
  { tenant }: Principal,
  { media, videos, defaultModelsOf, findingsOf }: Submission,
): Promise<NewSpec> {
  const key = idempotencyKeyOf(request.idempotencyKey);
  const checked = checkSpec(request.job, defaultModelsOf(tenant), findingsOf(tenant));
  for (const side of SIDES) {
    const name = checked.spec[side];
    const title = titleOf(side, name);
    if (!videos.isRemote(tenant, side, title)) await media.check(tenant, title);
  }
  return { ...checked, key };
}

/** A job of the store; `created` is false if it was there before. */
export interface StoredJob {
  readonly job: JobRow;
  readonly created: boolean;
}

/** Inserts jobs in one transaction, and returns the outcome of each; undefined: it was not stored. */
export type Insert<Outcome extends StoredJob | undefined> = (
  jobs: readonly NewJob[],
) => Promise<readonly Outcome[]>;

/** Stores jobs whose keys are distinct, within the limits of their tenant. Returns what `insert` returns. */
export async function storeJobs<Outcome extends StoredJob | undefined>(
  jobs: readonly NewSpec[],
  { tenant, subject }: Principal,
  submission: Submission,
  insert: Insert<Outcome>,
  requireMore?: () => Promise<void>,
): Promise<readonly Outcome[]> {
  const { metrics } = submission;
  const admission = await requireFit(jobs, tenant, submission, requireMore).catch((thrown: unknown) => {
    metrics.submitRefused(Failure.from(thrown));
    throw thrown;
  });
  const looked = await withObjectVersions(jobs, tenant, submission).catch((thrown: unknown) => {
    admission.failed(Failure.from(thrown));
    throw thrown;
  });
  const answers = await answersOf(looked, tenant, submission);
  const spans = jobs.map(() => submitSpan(jobs.length));
  const rows = looked.map((job, index) => ({
    ...newJob(job, subject, spans[index]),
    ...answers[index],
  }));
  const stored = await insert(rows).catch((thrown: unknown) => {
    const failure = Failure.from(thrown);
    admission.failed(failure);
    for (const span of spans) failSubmit(span, failure.code);
    throw failure;
  });
  const created = stored.filter((one) => one?.created);
  admission.stored(created.length);
  metrics.answered(created.filter((one) => one?.job.reuse?.answer !== undefined).length);
  for (const [index, one] of stored.entries()) endSubmit(spans[index], one?.job.id, !one?.created);
  await submission.uploads?.name(
    tenant,
    jobs.flatMap(({ spec }) => SIDES.map((side) => spec[side])),
  );
  metrics.submitted.inc(created.length);
  return stored;
}

/**
 * Checks that nodes can run the jobs and that limits admit them. Jobs that were stored before are not checked: they are
 * returned unchanged, regardless of nodes and limits.
 */
async function requireFit(
  jobs: readonly NewSpec[],
  tenant: string,
  { store, fleet, schedule, limits }: Submission,
  requireMore?: () => Promise<void>,
): Promise<Admission> {
  const requireAll = async (wanted: readonly NewSpec[]): Promise<Admission> => {
    if (wanted.length > 0) await requireMore?.();
    const needs = new Map(wanted.flatMap(({ need }) => (need === undefined ? [] : [[classOf(need), need]])));
    await fleet.requirePlanners(tenant, [...needs.values()]);
    requireModelSets(schedule.classesOf(tenant), [...needs.keys()]);
    return limits.admit(tenant, wanted.length);
  };
  try {
    return await requireAll(jobs);
  } catch (thrown) {
    const keys = jobs.flatMap(({ key }) => key ?? []);
    const known = keys.length === 0 ? new Set<string>() : await store.knownKeys(tenant, keys);
    if (known.size === 0) throw thrown;
    return requireAll(jobs.filter(({ key }) => key === undefined || !known.has(key)));
  }
}

/** Throws TOO_MANY_MODEL_SETS. */
function requireModelSets(waiting: readonly string[], wanted: readonly string[]): void {
  if (wanted.every((workClass) => waiting.includes(workClass))) return;
  const sets = new Set([...waiting.filter((workClass) => needToPlan(workClass) !== undefined), ...wanted]);
  if (sets.size <= MAX_MODEL_SETS) return;
  throw new Failure(
    "TOO_MANY_MODEL_SETS",
    `Jobs with ${sets.size} different sets of models would wait for their plan; the limit is ${MAX_MODEL_SETS}. Use fewer sets, or submit again when some are planned.`,
    { found: { sets: sets.size, limit: MAX_MODEL_SETS } },
  );
}

function newJob(
  { spec, text, fingerprint, need, key }: NewSpec,
  submittedBy: string,
  span: Span | undefined,
): NewJob {
  return {
    id: randomUUID(),
    spec: text,
    fingerprint,
    name: spec.name,
    labels: spec.labels,
    priority: spec.priority,
    submittedBy,
    idempotencyKey: key,
    workClass: classFor(spec, isManifest(spec.distorted) ? TITLE_CLASS : classOf(need)),
    traceparent: traceparentIn(span),
  };
}

function classOf(need: PlanNeed | undefined): string {
  return need === undefined ? DIAGNOSIS_CLASS : planClass(need.models, need.scorerVersion);
}
