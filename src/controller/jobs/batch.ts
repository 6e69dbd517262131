/** Submission of several jobs at once: all or none. A failure states which of them is at fault. */
import { create } from "@bufbuild/protobuf";
import type { Principal } from "../../auth/principal.ts";
import {
  type JobSpec,
  type SubmitJobRequest,
  SubmitJobRequestSchema,
  type SubmitJobResponse,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { MAX_BATCH } from "../../jobs/request-limits.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import { refuseTitle } from "../requests/title.ts";
import type { NewSpec } from "./look.ts";
import {
  checkJob,
  type Insert,
  type StoredJob,
  type Submission,
  storeJobs,
  submitResponse,
} from "./submit.ts";

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
  for (const [index, { job }] of requests.entries()) refuseTitle(job, `${jobName(index)}: `);
  const checked = await checkAll(jobName, requests, principal, submission);
  const { firsts, places } = distinct(checked);
  const indexOf = (failure: Failure): number | undefined => {
    const { index } = failure.found ?? {};
    return index === undefined ? needing(failure, checked) : places.indexOf(Number(index));
  };
  const insert: Insert<StoredJob> = (jobs) => submission.store.insertJobs(principal.tenant, jobs);
  const stored = await storeJobs(firsts, principal, submission, insert).catch((thrown: unknown) => {
    throw ofMember(jobName, Failure.from(thrown), indexOf);
  });
  return places.map((place, index) => {
    const first = submitResponse(stored[place] as StoredJob);
    return places.indexOf(place) < index ? { ...first, existed: true } : first;
  });
}

/** Returns how messages name a member of a list: `pairs[3]`. */
type NameOf = (index: number) => string;

const jobName: NameOf = (index) => `jobs[${index}]`;

/** Stores jobs without idempotency keys by `insert`. A failure of one of them states its name. */
export async function submitList(
  nameOf: NameOf,
  specs: readonly JobSpec[],
  principal: Principal,
  submission: Submission,
  insert: Insert<StoredJob | undefined>,
): Promise<void> {
  const requests = specs.map((job) => create(SubmitJobRequestSchema, { job }));
  const checked = await checkAll(nameOf, requests, principal, submission);
  const isOfMember = ({ found }: Failure) =>
    found?.["index"] === undefined ? undefined : Number(found["index"]);
  await storeJobs(checked, principal, submission, insert).catch((thrown: unknown) => {
    throw ofMember(nameOf, Failure.from(thrown), isOfMember);
  });
}

/** Returns the index of the first job whose scorer or model no node has. */
function needing({ code, found }: Failure, jobs: readonly NewSpec[]): number | undefined {
  if (code === "UNKNOWN_MODEL")
    return jobs.findIndex(({ need }) => need?.models.includes(String(found?.["model"])));
  if (code === "UNKNOWN_SCORER")
    return jobs.findIndex(({ need }) => need?.scorerVersion === found?.["scorerVersion"]);
  return undefined;
}

/** Adds the index of the failed member to a failure of a list of jobs. */
function ofMember(
  nameOf: NameOf,
  failure: Failure,
  indexOf: (failure: Failure) => number | undefined,
): Failure {
  const index = indexOf(failure);
  if (index === undefined || index < 0) return failure;
  const { code, message, found } = failure;
  const text =
    code === "IDEMPOTENCY_CONFLICT"
      ? `its idempotency key belongs to job ${String(found?.["jobId"])}, which has a different request. Use a new key for a new job.`
      : message;
  return new Failure(code, `${nameOf(index)}: ${text}`, { found: { ...found, index }, cause: failure });
}

/** Checks jobs in their order, so that the first invalid one is reported. */
async function checkAll(
  nameOf: NameOf,
  requests: readonly SubmitJobRequest[],
  principal: Principal,
  submission: Submission,
): Promise<NewSpec[]> {
  const checked: NewSpec[] = [];
  for (const [index, request] of requests.entries()) {
    try {
      checked.push(await checkJob(request, principal, submission));
    } catch (thrown) {
      throw ofMember(nameOf, Failure.from(thrown), () => index);
    }
  }
  return checked;
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
