/** What a plan found of both files, as the message of the interface. */
import { create } from "@bufbuild/protobuf";
import { type PlanFacts, readPlan } from "../engine/plan-json.ts";
import { fileInfo } from "../engine/track.ts";
import { type JobPlan, JobPlanSchema } from "../gen/proto/svc/v1/job_pb.ts";

/** undefined: a plan of another version of svc, which only its own can read. The job is told all the same. */
export function planMessage(text: string): JobPlan | undefined {
  const facts = readOwn(text);
  if (facts === undefined) return undefined;
  const { tracks, files, pairing } = facts;
  return create(JobPlanSchema, {
    reference: fileInfo(tracks.reference, files.reference.size),
    distorted: fileInfo(tracks.distorted, files.distorted.size),
    ...(pairing.scaling && { scaling: pairing.scaling }),
    warnings: [...pairing.warnings],
  });
}

function readOwn(text: string): PlanFacts | undefined {
  try {
    return readPlan(text);
  } catch {
    return undefined;
  }
}
