/** A node of the store as the message of the interface. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Node,
  Node_State,
  NodeSchema,
  type NodeWork,
  NodeWorkSchema,
} from "../gen/proto/svc/v1/node_pb.ts";
import type { WorkRow } from "../store/job-records.ts";
import type { NodeRow } from "../store/node-records.ts";
import { workMessage } from "./job-message.ts";

/**
 * As a tenant may see it: its own work; of the work of others, on its own nodes, that there is some, and on the
 * fleet's nothing, or it would count what all others have at work.
 */
export function nodeMessage(node: NodeRow, tenant: string): Node {
  const { scorer, models, stills = false } = node.capabilities;
  return create(NodeSchema, {
    id: node.id,
    name: node.name,
    tenantId: node.tenant,
    state: Node_State[node.state],
    slots: node.slots,
    capabilities: {
      scorer,
      models: models.map(({ name, digest }) => ({ name, digest })),
      version: node.version,
      stills,
    },
    registerTime: timestampFromDate(node.registeredAt),
    heartbeatTime: timestampFromDate(node.heartbeatAt),
    work: node.work
      .filter((work) => work.tenant === tenant || node.tenant === tenant)
      .map((work) => nodeWork(work, tenant)),
  });
}

function nodeWork(work: WorkRow, tenant: string): NodeWork {
  if (work.tenant !== tenant) return create(NodeWorkSchema, {});
  return create(NodeWorkSchema, { jobId: work.jobId, work: workMessage(work), framesDone: work.framesDone });
}
