/** The handlers of the operations in api/controller.yaml. They call the controller's services. */

import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { NodeOperations, Operations } from "../../controller/api/operations.ts";
import { DrainNodeRequestSchema, ListNodesRequestSchema } from "../../gen/proto/svc/v1/node_pb.ts";
import type { components, operations } from "../../gen/rest/controller.ts";
import { nodeJson } from "../../messages/json.ts";
import type { Description } from "../contract/description.ts";
import type { Call, Handlers } from "../contract/handlers.ts";
import { required } from "../contract/required.ts";
import { contextOf } from "../http/context.ts";
import { listAudit } from "./audit.ts";
import { cancelJobs, deleteJobs } from "./bulk-jobs.ts";
import { deleteClip, getClip, listClips, requestClips } from "./clips.ts";
import {
  addCells,
  cancelComparison,
  deleteComparison,
  getComparison,
  getTrend,
  listComparisons,
  retryCells,
  submitComparison,
} from "./comparisons.ts";
import { getJobFrames } from "./job-frames.ts";
import { streamJobs } from "./job-stream.ts";
import {
  cancelJob,
  deleteJob,
  finishJob,
  getJob,
  listJobs,
  submitJob,
  submitJobs,
  updateJob,
} from "./jobs.ts";
import { listMedia } from "./media.ts";
import { liftRevocation, listRevocations, revokeTokens } from "./revocations.ts";
import { scoreJob } from "./score-job.ts";
import { serviceHandlers } from "./service.ts";
import { deleteStill, getStill, listStills, requestStills } from "./stills.ts";
import { getTenant } from "./tenant.ts";
import { completeUpload, signUploadParts } from "./upload-parts.ts";
import { appendUpload, createUpload, deleteUpload, getUpload, listUploads } from "./uploads.ts";

export interface ControllerParts {
  /** Throws Failure until the services are open. */
  readonly operations: () => Operations;
  /** Throws Failure if jobs are not accepted at the moment. */
  readonly readiness: () => Promise<void>;
  /** Milliseconds for which POST /v1/score waits for its result. */
  readonly scoreTimeoutMs: number;
}

export function controllerHandlers(
  { operations: open, readiness, scoreTimeoutMs }: ControllerParts,
  description: Description<keyof operations>,
): Handlers<operations> {
  const ready = async ({ reply }: { readonly reply: FastifyReply }) => {
    await readiness();
    return reply.send({ status: "ready" } satisfies components["schemas"]["Ready"]);
  };
  return {
    ...serviceHandlers(description),
    getReady: ready,
    getReadyAlias: ready,
    score: (call) => scoreJob(open().jobs, scoreTimeoutMs, call),
    submitJob: (call) => submitJob(open().jobs, call),
    submitJobs: (call) => submitJobs(open().jobs, call),
    getJob: (call) => getJob(open().jobs, call),
    listJobs: (call) => listJobs(open().jobs, call),
    updateJob: (call) => updateJob(open().jobs, call),
    cancelJob: (call) => cancelJob(open().jobs, call),
    finishJob: (call) => finishJob(open().jobs, call),
    cancelJobs: (call) => cancelJobs(open().jobs, call),
    deleteJob: (call) => deleteJob(open().jobs, call),
    deleteJobs: (call) => deleteJobs(open().jobs, call),
    getJobFrames: (call) => getJobFrames(open().jobs, call),
    listStills: (call) => listStills(open().jobs, call),
    requestStills: (call) => requestStills(open().jobs, call),
    getStill: (call) => getStill(open().jobs, call),
    deleteStill: (call) => deleteStill(open().jobs, call),
    listClips: (call) => listClips(open().jobs, call),
    requestClips: (call) => requestClips(open().jobs, call),
    getClip: (call) => getClip(open().jobs, call),
    deleteClip: (call) => deleteClip(open().jobs, call),
    streamJobs: (call) => streamJobs(open().jobs, call),
    submitComparison: (call) => submitComparison(open().comparisons, call),
    getComparison: (call) => getComparison(open().comparisons, call),
    listComparisons: (call) => listComparisons(open().comparisons, call),
    getTrend: (call) => getTrend(open().comparisons, call),
    addCells: (call) => addCells(open().comparisons, call),
    retryCells: (call) => retryCells(open().comparisons, call),
    cancelComparison: (call) => cancelComparison(open().comparisons, call),
    deleteComparison: (call) => deleteComparison(open().comparisons, call),
    listNodes: (call) => listNodes(open().nodes, call),
    drainNode: (call) => drainNode(open().nodes, call),
    getTenant: (call) => getTenant(open().tenants, call),
    revokeTokens: (call) => revokeTokens(open().tenants, call),
    listRevocations: (call) => listRevocations(open().tenants, call),
    liftRevocation: (call) => liftRevocation(open().tenants, call),
    listAudit: (call) => listAudit(open().tenants, call),
    listUploads: (call) => listUploads(open().uploads, call),
    createUpload: (call) => createUpload(open().uploads, call),
    getUpload: (call) => getUpload(open().uploads, call),
    appendUpload: (call) => appendUpload(open().uploads, call),
    signUploadParts: (call) => signUploadParts(open().uploads, call),
    completeUpload: (call) => completeUpload(open().uploads, call),
    deleteUpload: (call) => deleteUpload(open().uploads, call),
    listMedia: (call) => listMedia(open().tenants, call),
    whoami: ({ reply, admitted }) => {
      const { tenant, subject, roles } = admitted.principal;
      return reply.send({ tenant, subject, roles: [...roles] } satisfies components["schemas"]["Caller"]);
    },
  };
}

async function listNodes(nodes: NodeOperations, call: Call<operations["listNodes"]>): Promise<FastifyReply> {
  const listed = await nodes.listNodes(create(ListNodesRequestSchema), contextOf(call));
  return call.reply.send({ nodes: listed.nodes.map(nodeJson) });
}

async function drainNode(nodes: NodeOperations, call: Call<operations["drainNode"]>): Promise<FastifyReply> {
  const { id } = call.params;
  const { node } = await nodes.drainNode(create(DrainNodeRequestSchema, { id }), contextOf(call));
  return call.reply.send(nodeJson(required(node, "node")));
}
