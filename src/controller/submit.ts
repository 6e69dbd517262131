/** Submitting jobs: all that can be refused is refused before anything is stored. */
import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { Principal } from "../auth/principal.ts";
import {
  type SubmitJobRequest,
  type SubmitJobResponse,
  SubmitJobResponseSchema,
} from "../gen/proto/svc/v1/job_pb.ts";
import { planClass } from "../jobs/work.ts";
import { Failure } from "../platform/failure.ts";
import type { NewJob, Ready, Store } from "../store/store.ts";
import { invalid } from "./calls.ts";
import type { Fleet } from "./fleet.ts";
import { jobMessage } from "./job-message.ts";
import { type CheckedSpec, checkSpec } from "./job-spec.ts";
import type { ControllerMetrics } from "./metrics.ts";

export const MAX_BATCH = 1_000;
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

export interface Submission {
  readonly store: Store;
  readonly fleet: Fleet;
  readonly metrics: ControllerMetrics;
}

interface Checked extends CheckedSpec {
  readonly key: string | undefined;
}

/** Stores one job. Throws Failure. */
export async function submitOne(
  request: SubmitJobRequest,
  principal: Principal,
  submission: Submission,
): Promise<SubmitJobResponse> {
  const [stored] = await store([check(request)], principal, submission);
  return stored as SubmitJobResponse;
}

/** Stores up to MAX_BATCH jobs, all or none. A failure of one says which it is. */
export async function submitBatch(
  requests: readonly SubmitJobRequest[],
  principal: Principal,
  submission: Submission,
): Promise<SubmitJobResponse[]> {
  if (requests.length === 0) throw invalid("jobs is empty. Give at least one job.");
  if (requests.length > MAX_BATCH) {
    throw invalid(`jobs has ${requests.length} jobs; at most ${MAX_BATCH} are stored at once.`);
  }
  const checked = requests.map((request, index) => {
    try {
      return check(request);
    } catch (thrown) {
      const { code, message, found } = Failure.from(thrown);
      throw new Failure(code, `jobs[${index}]: ${message}`, { found: { ...found, index }, cause: thrown });
    }
  });
  return store(checked, principal, submission);
}

function check(request: SubmitJobRequest): Checked {
  const key = request.idempotencyKey === "" ? undefined : request.idempotencyKey;
  if (key !== undefined && !IDEMPOTENCY_KEY.test(key)) {
    throw invalid("The idempotency key is not 1 to 255 printable ASCII characters.");
  }
  return { ...checkSpec(request.job), key };
}

async function store(
  checked: readonly Checked[],
  { tenant, subject }: Principal,
  { store, fleet, metrics }: Submission,
): Promise<SubmitJobResponse[]> {
  await fleet.requireModels(tenant, [...new Set(checked.flatMap(({ models }) => models))]);
  const { firsts, places } = distinct(checked);
  const stored = await store.insertJobs(
    tenant,
    firsts.map((job) => newJob(job, subject)),
  );
  const created = firsts.filter((_, index) => stored[index]?.created);
  if (created.length > 0) {
    store.announce({ kind: "work", ready: readyOf(tenant, created) });
    store.announce({ kind: "events" });
    metrics.submitted.inc(created.length);
  }
  return places.map((place, index) => {
    const { job, created: isNew } = stored[place] as (typeof stored)[number];
    return create(SubmitJobResponseSchema, {
      job: jobMessage(job),
      existed: !isNew || places.indexOf(place) < index,
    });
  });
}

/** A key that comes twice in a batch is one job. `places`: of each job, its place among the first ones. */
function distinct(checked: readonly Checked[]): { firsts: readonly Checked[]; places: readonly number[] } {
  const firsts: Checked[] = [];
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
      `jobs[${index}]: its idempotency key is that of another job of the same batch.`,
      { found: { index } },
    );
  });
  return { firsts, places };
}

function newJob({ spec, text, fingerprint, models, key }: Checked, submittedBy: string): NewJob {
  return {
    id: randomUUID(),
    spec: text,
    fingerprint,
    name: spec.name,
    labels: spec.labels,
    priority: spec.priority,
    submittedBy,
    idempotencyKey: key,
    workClass: planClass(models),
  };
}

function readyOf(tenant: string, jobs: readonly Checked[]): Ready[] {
  const classes = new Set(jobs.map(({ models }) => planClass(models)));
  return [...classes].map((workClass) => ({ tenant, workClass }));
}
