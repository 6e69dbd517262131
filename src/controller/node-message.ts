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
import type { NodeRow, WorkRow } from "../store/store.ts";
import { workMessage } from "./job-message.ts";

/** As a tenant may see it: of the work of others, only that there is some. */
export function nodeMessage(node: NodeRow, tenant: string): Node {
  const { scorer, models } = node.capabilities;
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
    },
    registerTime: timestampFromDate(node.registeredAt),
    heartbeatTime: timestampFromDate(node.heartbeatAt),
    work: node.work.map((work) => nodeWork(work, tenant)),
  });
}

function nodeWork(work: WorkRow, tenant: string): NodeWork {
  if (work.tenant !== tenant) return create(NodeWorkSchema, {});
  return create(NodeWorkSchema, { jobId: work.jobId, work: workMessage(work), framesDone: work.framesDone });
}
