/** A leased piece of work as the message that a node gets. */
import { create } from "@bufbuild/protobuf";
import { type WorkItem, WorkItemSchema } from "../gen/proto/svc/v1/node_pb.ts";
import type { ClaimedWork } from "../store/store.ts";
import { readSpec, scoreRequestOf } from "./job-spec.ts";

/** `segmentSeconds`: about how long the segments of a plan should be. */
export function workItem(work: ClaimedWork, segmentSeconds: number): WorkItem {
  return create(WorkItemSchema, {
    itemId: work.id,
    attempt: work.attempt,
    jobId: work.jobId,
    tenantId: work.tenant,
    request: scoreRequestOf(readSpec(work.spec)),
    work:
      work.kind === "PLAN"
        ? { case: "plan", value: { segmentSeconds } }
        : { case: "segment", value: { plan: work.plan ?? "", segment: work.segment ?? "" } },
  });
}
