/** Converts nodes of the store to protocol messages. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Node,
  Node_State,
  NodeSchema,
  type NodeWork,
  NodeWorkSchema,
} from "../../gen/proto/svc/v1/node_pb.ts";
import type { NodeScorer } from "../../jobs/work.ts";
import type { WorkRow } from "../../store/contract/job-records.ts";
import type { NodeRow } from "../../store/contract/node-records.ts";
import { workMessage } from "./job.ts";

/**
 * Converts a node, limited to what the tenant may see. A tenant sees its own tasks everywhere. On its own nodes it sees
 * that a task of another tenant runs, without details. On fleet nodes it does not see tasks of others, or it could
 * count them.
 */
export function nodeMessage(node: NodeRow, tenant: string): Node {
  const { stills = false, clips = false, diagnoses = false } = node.capabilities;
  const { titles = false, storedTitles = false, moreScorers = [] } = node.capabilities;
  return create(NodeSchema, {
    id: node.id,
    name: node.name,
    tenantId: node.tenant,
    state: Node_State[node.state],
    slots: node.slots,
    capabilities: {
      ...scorerMessage(node.capabilities),
      version: node.version,
      stills,
      clips,
      diagnoses,
      titles,
      storedTitles,
      moreScorers: moreScorers.map(scorerMessage),
    },
    registerTime: timestampFromDate(node.registeredAt),
    heartbeatTime: timestampFromDate(node.heartbeatAt),
    work: node.work
      .filter((work) => work.tenant === tenant || node.tenant === tenant)
      .map((work) => nodeWork(work, tenant)),
  });
}

function scorerMessage({ scorer, models, scoredBy = "" }: NodeScorer) {
  return { scorer, models: models.map(({ name, digest }) => ({ name, digest })), scoredBy };
}

function nodeWork(work: WorkRow, tenant: string): NodeWork {
  if (work.tenant !== tenant) return create(NodeWorkSchema, {});
  return create(NodeWorkSchema, { jobId: work.jobId, work: workMessage(work), framesDone: work.framesDone });
}
