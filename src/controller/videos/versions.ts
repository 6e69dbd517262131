/** Reads and compares the versions of objects in the specs of jobs. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Side } from "../../engine/contract/request.ts";
import { type JobSpec, type MediaVersion, MediaVersionSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import { isStoredTitle } from "../../jobs/media/title-objects.ts";
import { type ObjectVersion, objectIdentity } from "../../media/objects/object.ts";

/**
 * Returns the version of an object in a spec; for a title, that of its manifest; undefined for a file, or if not known
 * yet.
 */
export function versionIn(spec: JobSpec, side: Side): MediaVersion | undefined {
  return side === "reference" ? spec.referenceVersion : spec.distortedVersion;
}

export function versionMessage({ etag, size, modifiedMs }: ObjectVersion): MediaVersion {
  return create(MediaVersionSchema, {
    etag,
    size,
    ...(modifiedMs !== undefined && { modifyTime: timestampFromMs(modifiedMs) }),
  });
}

export function isSame(one: MediaVersion, other: MediaVersion): boolean {
  const [mine, theirs] = [one, other].map(({ modifyTime }) => modifyTime && timestampMs(modifyTime));
  return one.etag === other.etag && one.size === other.size && mine === theirs;
}

/**
 * Identifies the content of a job's object as nodes do; undefined for a file, and for a title, which has many objects.
 */
export function objectIdentityIn(spec: JobSpec, side: Side): string | undefined {
  const version = versionIn(spec, side);
  if (version === undefined || isStoredTitle(spec[side])) return undefined;
  const { etag, size, modifyTime } = version;
  return objectIdentity({ etag, size, modifiedMs: modifyTime && timestampMs(modifyTime) });
}
