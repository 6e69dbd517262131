/** Looks up which versions the objects of new jobs have, so that a change while they wait is noticed. */
import { SIDES, type Side } from "../../engine/contract/request.ts";
import type { JobSpec, MediaVersion } from "../../gen/proto/svc/v1/job_pb.ts";
import { batchesOf } from "../../platform/batches.ts";
import { Failure } from "../../platform/failure.ts";
import type { Store } from "../../store/contract/store.ts";
import { type CheckedSpec, withVersions } from "../requests/job-spec.ts";
import type { RemoteVideos } from "../videos/remote-videos.ts";

/** Objects of a batch that are looked up in parallel. */
const CONCURRENT = 16;

export interface Looking {
  readonly store: Pick<Store, "knownKeys">;
  readonly videos: RemoteVideos;
}

/** A job that is about to be stored, if no other job has its key. */
export interface NewSpec extends CheckedSpec {
  readonly key: string | undefined;
}

/**
 * Returns the jobs with the versions of their objects. A job whose key is known exists already, and its objects may be
 * gone. Throws the failure of the first job with an object that cannot be read; `found.index` is its position.
 */
export async function withObjectVersions<Job extends NewSpec>(
  jobs: readonly Job[],
  tenant: string,
  { store, videos }: Looking,
): Promise<readonly Job[]> {
  if (!jobs.some(({ spec }) => needsLookUp(spec, tenant, videos))) return jobs;
  const lookUps = new Map<string, Promise<MediaVersion | undefined>>();
  const look = ({ spec }: Job, side: Side): Promise<MediaVersion | undefined> => {
    // A version that the request states is checked separately for that job.
    const key = spec[`${side}Version`] === undefined ? `${side} ${spec[side]}` : undefined;
    const looking = (key && lookUps.get(key)) || videos.look(tenant, spec, side);
    if (key !== undefined) lookUps.set(key, looking);
    return looking;
  };
  const outcomes = await inParallel(jobs, async (job) => {
    const [reference, distorted] = await Promise.all([look(job, "reference"), look(job, "distorted")]);
    return { ...job, ...withVersions(job, { reference, distorted }) };
  });
  const failed = jobs.flatMap(({ key }, index) =>
    outcomes[index]?.status === "rejected" ? (key ?? []) : [],
  );
  const known = failed.length === 0 ? new Set<string>() : await store.knownKeys(tenant, failed);
  return jobs.map((job, index) => {
    const outcome = outcomes[index];
    if (outcome?.status === "fulfilled") return outcome.value;
    if (job.key !== undefined && known.has(job.key)) return job;
    const failure = Failure.from(outcome?.reason);
    throw new Failure(failure.code, failure.message, { found: { ...failure.found, index }, cause: failure });
  });
}

/**
 * Whether a side has to be looked up: an object has to; so has a file with a stated version, because the
 * lookup refuses it: files have no versions.
 */
function needsLookUp(spec: JobSpec, tenant: string, videos: RemoteVideos): boolean {
  return SIDES.some(
    (side) => spec[`${side}Version`] !== undefined || videos.isRemote(tenant, side, spec[side]),
  );
}

async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const outcomes: PromiseSettledResult<R>[] = [];
  for (const batch of batchesOf(items, CONCURRENT))
    outcomes.push(...(await Promise.allSettled(batch.map(work))));
  return outcomes;
}
