/** Keys that let jobs of a tenant share scores: of the request and the files, and of the programs that scored them. */
import { hash } from "node:crypto";
import type { PlanReport } from "../../gen/proto/svc/v1/node_pb.ts";
import { invalid } from "../../platform/failure.ts";
import type { PlanReuse } from "../../store/contract/task-records.ts";
import { readSpec, scoredText } from "../requests/job-spec.ts";

const DIGEST = /^[0-9a-f]{64}$/;
/** Most characters of a file's identity: device, inode, size and two times; for remote files a name with a version. */
const MAX_IDENTITY = 4096;

/** Parses a SHA-256 in hex; undefined: it is empty. Throws INVALID_REQUEST. */
export function digestOf(field: string, text: string): Uint8Array | undefined {
  if (text === "") return undefined;
  if (!DIGEST.test(text)) throw invalid(`${field} is not a SHA-256 in hex.`);
  return Buffer.from(text, "hex");
}

/** Returns the key of a job's request and files; undefined: it is unknown whether a file is still the same. */
export function jobKey(
  spec: string,
  reference: string | undefined,
  distorted: string | undefined,
): Uint8Array | undefined {
  if (!reference || !distorted) return undefined;
  return hash("sha256", JSON.stringify([scoredText(spec), reference, distorted]), "buffer");
}

/** Returns the reuse keys of a plan. `spec`: the spec of the planned job. Throws INVALID_REQUEST. */
export function planReuse(report: PlanReport, spec: string): PlanReuse {
  const { scoredBy, referenceIdentity, distortedIdentity } = report;
  if (Math.max(referenceIdentity.length, distortedIdentity.length) > MAX_IDENTITY)
    throw invalid(
      `plan.referenceIdentity or plan.distortedIdentity is longer than ${MAX_IDENTITY} characters.`,
    );
  return {
    key: jobKey(spec, referenceIdentity, distortedIdentity),
    scoredBy: digestOf("plan.scoredBy", scoredBy),
    isAllowed: !readSpec(spec).noCache,
  };
}
