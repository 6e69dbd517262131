/** Checks the renditions of a title that a node reports, and makes the jobs that score them. */
import { randomUUID } from "node:crypto";
import type { TitleReport } from "../../gen/proto/svc/v1/node_pb.ts";
import { isManifest, isRendition, MAX_RENDITIONS } from "../../jobs/media/titles.ts";
import { planClass } from "../../jobs/work.ts";
import { invalid } from "../../platform/failure.ts";
import type { TitleRecord } from "../../store/contract/task-records.ts";
import { checkSpec, readSpec } from "../requests/job-spec.ts";
import { classFor } from "../requests/title.ts";

/**
 * Returns the record of a title; undefined if the job is not about a title. Throws INVALID_REQUEST.
 *
 * @param spec of the job whose distorted video is the manifest
 */
export function titleRecord({ renditions }: TitleReport, spec: string): TitleRecord | undefined {
  const given = readSpec(spec);
  if (!isManifest(given.distorted)) return undefined;
  if (renditions.length < 1 || renditions.length > MAX_RENDITIONS)
    throw invalid(`title.renditions has ${renditions.length} names. Use 1 to ${MAX_RENDITIONS}.`);
  const odd = renditions.find((name, index) => !isRendition(name) || renditions.indexOf(name) !== index);
  if (odd !== undefined)
    throw invalid(
      `title.renditions has ${JSON.stringify(odd.slice(0, 100))}, which is not the name of a rendition, or is listed twice.`,
    );
  const checked = renditions.map((name) => {
    const distorted = `${given.distorted}#${name}`;
    // The spec has the defaults of its tenant already.
    return { distorted, ...checkSpec({ ...given, distorted }, []) };
  });
  const { models = [], scorerVersion } = checked[0]?.need ?? {};
  return {
    jobs: checked.map(({ distorted, text, fingerprint }) => ({
      ...{ id: randomUUID(), distorted, spec: text, fingerprint },
    })),
    workClass: classFor(given, planClass(models, scorerVersion)),
  };
}
