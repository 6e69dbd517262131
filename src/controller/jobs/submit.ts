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
import { MAX_BATCH } from "../../jobs/request-limits.ts";
import { DIAGNOSIS_CLASS, needToPlan, type PlanNeed, planClass } from "../../jobs/work.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import type { Span } from "../../platform/observability/span.ts";
import type { NewJob } from "../../store/contract/job-records.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Ready } from "../../store/contract/task-records.ts";
import { jobMessage } from "../messages/job.ts";
import { checkSpec } from "../requests/job-spec.ts";
import type { MediaPolicy } from "../requests/media-policy.ts";
import type { Fleet } from "../scheduling/fleet.ts";
import type { Schedule } from "../scheduling/schedule.ts";
import type { ControllerMetrics } from "../telemetry/metrics.ts";
import { endSubmit, failSubmit, submitSpan, traceparentIn } from "../telemetry/tracing.ts";
import type { RemoteVideos } from "../videos/remote-videos.ts";
import { answersOf } from "./answers.ts";
import { type NewSpec, withObjectVersions } from "./look.ts";
import type { Admission, SubmitLimits } from "./submit-limits.ts";

/** Maximum sets of models of a tenant that wait for a plan; each is a work class. */
const MAX_MODEL_SETS = 256;
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

export interface Submission {
  readonly store: Store;
  readonly fleet: Fleet;
  readonly metrics: ControllerMetrics;
  readonly schedule: Pick<Schedule, "classesOf">;
  readonly limits: SubmitLimits;
  /** Which files jobs may name. */
  readonly media: MediaPolicy;
  readonly videos: RemoteVideos;
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
  const checked = await check(request, principal, submission);
  const [stored] = await store([checked], principal, submission, requireMore);
  return stored as SubmitJobResponse;
}

/** Stores up to MAX_BATCH jobs, all or none. A failure of one job states which one. */
export async function submitBatch(
  requests: readonly SubmitJobRequest[],
  principal: Principal,
  submission: Submission,
): Promise<SubmitJobResponse[]> {
  if (requests.length === 0) throw invalid("jobs is empty. Give at least one job.");
  if (requests.length > MAX_BATCH) {
    throw invalid(`jobs has ${requests.length} jobs; at most ${MAX_BATCH} are allowed.`);
  }
  const checked = await checkAll(requests, principal, submission);
  const { firsts, places } = distinct(checked);
  const indexOf = (failure: Failure): number | undefined => {
    const { index, model, scorerVersion } = failure.found ?? {};
    if (index !== undefined) return places.indexOf(Number(index));
    if (failure.code === "UNKNOWN_MODEL")
      return checked.findIndex(({ need }) => need?.models.includes(String(model)));
    if (failure.code === "UNKNOWN_SCORER")
      return checked.findIndex(({ need }) => need?.scorerVersion === scorerVersion);
    return undefined;
  };
  const stored = await store(firsts, principal, submission).catch((thrown: unknown) => {
    throw ofBatch(Failure.from(thrown), indexOf);
  });
  return places.map((place, index) => {
    const first = stored[place] as SubmitJobResponse;
    return places.indexOf(place) < index ? { ...first, existed: true } : first;
  });
}

/** Adds the index of the failed job to a failure of a batch. */
function ofBatch(failure: Failure, indexOf: (failure: Failure) => number | undefined): Failure {
  const index = indexOf(failure);
  if (index === undefined || index < 0) return failure;
  const { code, message, found } = failure;
  const text =
    code === "IDEMPOTENCY_CONFLICT"
      ? `its idempotency key belongs to job ${String(found?.["jobId"])}, which has a different request. Use a new key for a new job.`
      : message;
  return new Failure(code, `jobs[${index}]: ${text}`, { found: { ...found, index }, cause: failure });
}

/** Checks jobs in their order, so that the first invalid one is reported. */
async function checkAll(
  requests: readonly SubmitJobRequest[],
  principal: Principal,
  submission: Submission,
): Promise<NewSpec[]> {
  const checked: NewSpec[] = [];
  for (const [index, request] of requests.entries()) {
    try {
      checked.push(await check(request, principal, submission));
    } catch (thrown) {
      throw ofBatch(Failure.from(thrown), () => index);
    }
  }
  return checked;
}

async function check(
  request: SubmitJobRequest,
  { tenant }: Principal,
  { media, videos, defaultModelsOf, findingsOf }: Submission,
): Promise<NewSpec> {
  const key = request.idempotencyKey === "" ? undefined : request.idempotencyKey;
  if (key !== undefined && !IDEMPOTENCY_KEY.test(key)) {
    throw invalid("The idempotency key is not 1 to 255 printable ASCII characters.");
  }
  const checked = checkSpec(request.job, defaultModelsOf(tenant), findingsOf(tenant));
  for (const side of SIDES) {
    const name = checked.spec[side];
    if (!videos.isRemote(tenant, side, name)) await media(tenant, name);
  }
  return { ...checked, key };
}

/** Stores jobs whose keys are distinct. */
async function store(
  jobs: readonly NewSpec[],
  { tenant, subject }: Principal,
  submission: Submission,
  requireMore?: () => Promise<void>,
): Promise<SubmitJobResponse[]> {
  const { store, metrics } = submission;
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
    answeredBy: answers[index],
  }));
  const stored = await store.insertJobs(tenant, rows).catch((thrown: unknown) => {
    const failure = Failure.from(thrown);
    admission.failed(failure);
    for (const span of spans) failSubmit(span, failure.code);
    throw failure;
  });
  const created = stored.filter((one) => one.created);
  admission.stored(created.length);
  metrics.answered(created.filter(({ job }) => job.reuse?.answer !== undefined).length);
  for (const [index, { job, created: isNew }] of stored.entries()) endSubmit(spans[index], job.id, !isNew);
  metrics.submitted.inc(created.length);
  return stored.map(({ job, created: isNew }) =>
    create(SubmitJobResponseSchema, { job: jobMessage(job), existed: !isNew }),
  );
}

/** Checks only new jobs if some were stored before: those are returned unchanged, regardless of nodes and limits. */
async function requireFit(
  jobs: readonly NewSpec[],
  tenant: string,
  { store, fleet, schedule, limits }: Submission,
  requireMore?: () => Promise<void>,
): Promise<Admission> {
  const requireAll = async (wanted: readonly NewSpec[]): Promise<Admission> => {
    if (wanted.length > 0) await requireMore?.();
    const ready = readyOf(tenant, wanted);
    await fleet.requirePlanners(
      tenant,
      ready.flatMap(({ workClass }) => needToPlan(workClass) ?? []),
    );
    requireModelSets(schedule.classesOf(tenant), ready);
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
function requireModelSets(waiting: readonly string[], more: readonly Ready[]): void {
  const known = setsOf(waiting);
  const wanted = setsOf(more.map(({ workClass }) => workClass));
  const sets = new Set([...known, ...wanted]);
  if (sets.size <= MAX_MODEL_SETS || wanted.every((workClass) => known.includes(workClass))) return;
  throw new Failure(
    "TOO_MANY_MODEL_SETS",
    `Jobs with ${sets.size} different sets of models would wait for their plan; the limit is ${MAX_MODEL_SETS}. Use fewer sets, or submit again when some are planned.`,
    { found: { sets: sets.size, limit: MAX_MODEL_SETS } },
  );
}

/** Returns the classes with models. */
function setsOf(workClasses: readonly string[]): readonly string[] {
  return workClasses.filter((workClass) => needToPlan(workClass) !== undefined);
}

/** Merges jobs of a batch that have the same key. `places`: for each job, its index in `firsts`. */
function distinct(checked: readonly NewSpec[]): { firsts: readonly NewSpec[]; places: readonly number[] } {
  const firsts: NewSpec[] = [];
  const byKey = new Map<string, number>();
  const places = checked.map((job, index) => {
    const place = job.key === undefined ? undefined : byKey.get(job.key);
    if (place === undefined) {
      if (job.key !== undefined) byKey.set(job.key, firsts.length);
      return firsts.push(job) - 1;
    }
    if (firsts[place]?.fingerprint === job.fingerprint) return place;
    throw new Failure(
      "IDEMPOTENCY_CONFLICT",
      `jobs[${index}]: its idempotency key belongs to a different job of the same batch.`,
      { found: { index } },
    );
  });
  return { firsts, places };
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
    workClass: classOf(need),
    traceparent: traceparentIn(span),
  };
}

function readyOf(tenant: string, jobs: readonly NewSpec[]): Ready[] {
  const classes = new Set(jobs.map(({ need }) => classOf(need)));
  return [...classes].map((workClass) => ({ tenant, workClass }));
}

function classOf(need: PlanNeed | undefined): string {
  return need === undefined ? DIAGNOSIS_CLASS : planClass(need.models, need.scorerVersion);
}
