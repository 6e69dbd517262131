/**
 * Checks the manifests of titles that requests name, as files or objects. A whole title is accepted only
 * where all of its renditions are scored.
 */
import { SIDES, type Side } from "../../engine/contract/request.ts";
import type { JobSpec } from "../../gen/proto/svc/v1/job_pb.ts";
import { remoteName } from "../../jobs/media/names.ts";
import { isStoredTitle, manifestOf, titleFolder } from "../../jobs/media/title-objects.ts";
import { isManifest } from "../../jobs/media/titles.ts";
import { ofStoredTitle } from "../../jobs/work.ts";
import { Failure, invalid } from "../../platform/failure.ts";

/** Refuses a single job for a whole title, which has several renditions. Throws INVALID_REQUEST. */
export function refuseTitle(spec: JobSpec | undefined, prefix = ""): void {
  const side = spec && SIDES.find((one) => isManifest(spec[one]));
  if (side === undefined) return;
  throw invalid(
    `${prefix}${side} is a manifest. Submit a comparison, which scores all of its renditions, or name one of them: MANIFEST#RENDITION.`,
  );
}

/**
 * Returns the file or object that a side names: the manifest of a title, or of a rendition. Throws INVALID_REQUEST,
 * MANIFEST_UNSUPPORTED.
 */
export function titleOf(side: Side, name: string): string {
  const manifest = manifestOf(name);
  if (!isManifest(manifest)) return name;
  const remote = remoteName(manifest);
  if (remote !== undefined && remote.kind !== "fault" && titleFolder(remote) === undefined)
    throw new Failure(
      "MANIFEST_UNSUPPORTED",
      `The ${side} video ${JSON.stringify(name)} is a manifest whose folder cannot be named: it has a versionId, or an encoded "/", "\\" or control character in its path. Name the current version of the manifest, in a folder without these.`,
    );
  if (side === "reference" && isManifest(name))
    throw invalid(
      `The reference ${JSON.stringify(name)} is a manifest. Give the source video of the title as reference.`,
    );
  return manifest;
}

/** Returns the class of a job's tasks. `plain`: the class for videos that are not titles in storages. */
export function classFor(spec: JobSpec, plain: string): string {
  return SIDES.some((side) => isStoredTitle(spec[side])) ? ofStoredTitle(plain) : plain;
}
