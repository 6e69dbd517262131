/** Which titles jobs may name: manifests as files, and only where all renditions of them can be scored. */
import { SIDES, type Side } from "../../engine/contract/request.ts";
import type { JobSpec } from "../../gen/proto/svc/v1/job_pb.ts";
import { schemeOf } from "../../jobs/media/names.ts";
import { isManifest, renditionName } from "../../jobs/media/titles.ts";
import { Failure, invalid } from "../../platform/failure.ts";

/** Refuses a single job for a whole title, which has several renditions. Throws INVALID_REQUEST. */
export function refuseTitle(spec: JobSpec | undefined, prefix = ""): void {
  const side = spec && SIDES.find((one) => isManifest(spec[one]));
  if (side === undefined) return;
  throw invalid(
    `${prefix}${side} is a manifest. Submit a comparison, which scores all of its renditions, or name one of them: MANIFEST#RENDITION.`,
  );
}

/** Returns the file that a side names: the manifest of a rendition. Throws INVALID_REQUEST, MANIFEST_UNSUPPORTED. */
export function titleOf(side: Side, name: string): string {
  const manifest = renditionName(name)?.manifest ?? (isManifest(name) ? name : undefined);
  if (manifest === undefined) return name;
  if (schemeOf(manifest) !== undefined)
    throw new Failure(
      "MANIFEST_UNSUPPORTED",
      `The ${side} video ${JSON.stringify(name)} is a title in a storage, and nodes read only titles in media roots. Run svc compare with a copy of its files, or with --submit --upload.`,
    );
  if (side === "reference" && isManifest(name))
    throw invalid(
      `The reference ${JSON.stringify(name)} is a manifest. Give the source video of the title as reference.`,
    );
  return manifest;
}
