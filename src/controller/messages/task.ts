/** Converts a leased task to the message for its node. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type WorkItem, WorkItemSchema } from "../../gen/proto/svc/v1/node_pb.ts";
import { isManifest } from "../../jobs/media/titles.ts";
import type { ClaimedWork } from "../../store/contract/task-records.ts";
import { readSpec, scoreRequestOf } from "../requests/job-spec.ts";

/** `segmentSeconds`: approximate duration of the segments of a plan. */
export function workItem(work: ClaimedWork, segmentSeconds: number): WorkItem {
  const spec = readSpec(work.spec);
  return create(WorkItemSchema, {
    itemId: work.id,
    attempt: work.attempt,
    jobId: work.jobId,
    tenantId: work.tenant,
    request: scoreRequestOf(spec),
    work: spec.diagnoseOnly
      ? { case: "diagnose", value: {} }
      : isManifest(spec.distorted)
        ? { case: "title", value: {} }
        : detailOf(work, { segmentSeconds, units: spec.estimate !== undefined }),
    traceparent: work.traceparent ?? "",
  });
}

function detailOf(
  { kind, plan = "", segment = "", stills = [], clipFrame }: ClaimedWork,
  planning: { readonly segmentSeconds: number; readonly units: boolean },
): NonNullable<MessageInitShape<typeof WorkItemSchema>["work"]> {
  if (kind === "PLAN") return { case: "plan", value: planning };
  if (kind !== "STILLS") return { case: "segment", value: { plan, segment } };
  const parts = stills.map((part) => ({ segment: part.segment ?? "", frames: [...part.frames] }));
  if (clipFrame !== undefined) return { case: "clip", value: { plan, frame: clipFrame, parts } };
  return { case: "stills", value: { plan, parts } };
}
