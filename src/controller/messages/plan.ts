/** The facts of a plan about both files, as a protocol message. */
import { create } from "@bufbuild/protobuf";
import { fileInfo } from "../../engine/media/track.ts";
import { alignmentInfo } from "../../engine/planning/pairing.ts";
import { readPlan, type StoredPlan } from "../../engine/planning/plan-json.ts";
import { type JobPlan, JobPlanSchema } from "../../gen/proto/svc/v1/job_pb.ts";

/** Returns undefined for a plan of another version of svc, which this one cannot read. The job is still returned. */
export function planMessage(text: string): JobPlan | undefined {
  const facts = readOwn(text);
  if (facts === undefined) return undefined;
  const { tracks, files, pairing } = facts;
  const alignment = alignmentInfo(pairing);
  return create(JobPlanSchema, {
    reference: fileInfo(tracks.reference, files.reference.size),
    distorted: fileInfo(tracks.distorted, files.distorted.size),
    ...(pairing.scaling && { scaling: pairing.scaling }),
    warnings: [...pairing.warnings],
    ...(alignment && { alignment: { ...alignment, runs: [...alignment.runs] } }),
  });
}

function readOwn(text: string): StoredPlan | undefined {
  try {
    return readPlan(text);
  } catch {
    return undefined;
  }
}
