/** svc.v1.JobService and svc.v1.NodeService over gRPC: find out who calls, call the controller's services, send the answer. */
import { create } from "@bufbuild/protobuf";
import type { handleServerStreamingCall, handleUnaryCall } from "@grpc/grpc-js";
import type { Authenticate } from "../auth/principal.ts";
import type { CallContext, JobOperations, NodeOperations } from "../controller/operations.ts";
import {
  type GetJobFramesRequest,
  type GetJobFramesResponse,
  GetJobFramesResponseSchema,
  JobService,
} from "../gen/proto/svc/v1/job_pb.ts";
import { NodeService } from "../gen/proto/svc/v1/node_pb.ts";
import { frameBatches } from "../messages/result.ts";
import { authorizationOf, type Call, send, surroundingsOf } from "./call.ts";
import type { ServedService } from "./server.ts";
import { statusOf } from "./status.ts";

/** Bytes: large enough to send a film in few messages, small enough to hold one for every reader. */
const MAX_BATCH_BYTES = 256 * 1024;

export function controllerServices(
  jobs: JobOperations,
  nodes: NodeOperations,
  authenticate: Authenticate,
): readonly ServedService[] {
  const answering = new Answering(authenticate);
  return [
    { descriptor: JobService, handlers: jobHandlers(jobs, answering) },
    { descriptor: NodeService, handlers: nodeHandlers(nodes, answering) },
  ];
}

function jobHandlers(jobs: JobOperations, { once, inParts }: Answering): ServedService["handlers"] {
  return {
    submitJob: once(jobs.submitJob.bind(jobs)),
    submitJobs: once(jobs.submitJobs.bind(jobs)),
    getJob: once(jobs.getJob.bind(jobs)),
    listJobs: once(jobs.listJobs.bind(jobs)),
    cancelJob: once(jobs.cancelJob.bind(jobs)),
    streamJobs: inParts(jobs.streamJobs.bind(jobs)),
    getJobFrames: inParts((request: GetJobFramesRequest, context) => framesOf(jobs, request, context)),
  };
}

function nodeHandlers(nodes: NodeOperations, { once }: Answering): ServedService["handlers"] {
  return {
    registerNode: once(nodes.registerNode.bind(nodes)),
    heartbeat: once(nodes.heartbeat.bind(nodes)),
    pullWork: once(nodes.pullWork.bind(nodes)),
    reportResult: once(nodes.reportResult.bind(nodes)),
    listNodes: once(nodes.listNodes.bind(nodes)),
    drainNode: once(nodes.drainNode.bind(nodes)),
  };
}

async function* framesOf(
  jobs: JobOperations,
  request: GetJobFramesRequest,
  context: CallContext,
): AsyncGenerator<GetJobFramesResponse> {
  for await (const part of jobs.getJobFrames(request, context)) {
    for (const frames of frameBatches(part, MAX_BATCH_BYTES)) {
      yield create(GetJobFramesResponseSchema, { frames: { frames } });
    }
  }
}

/** Makes handlers of operations. The one place that makes a call's context. */
class Answering {
  readonly #authenticate: Authenticate;

  constructor(authenticate: Authenticate) {
    this.#authenticate = authenticate;
  }

  /** A handler that answers once. */
  readonly once =
    <Request, Response>(
      operation: (request: Request, context: CallContext) => Promise<Response>,
    ): handleUnaryCall<Request, Response> =>
    (call, callback) => {
      const answered = this.#contextOf(call).then((context) => operation(call.request, context));
      answered.then(
        (response) => callback(null, response),
        (thrown: unknown) => callback(statusOf(thrown)),
      );
    };

  /** A handler that answers in parts: the next one is asked for when the client has taken the one before. */
  readonly inParts =
    <Request, Response>(
      operation: (request: Request, context: CallContext) => AsyncIterable<Response>,
    ): handleServerStreamingCall<Request, Response> =>
    (call) => {
      const answer = async () => {
        const context = await this.#contextOf(call);
        for await (const part of operation(call.request, context)) await send(call, part, context.signal);
      };
      answer().then(
        () => call.end(),
        (thrown: unknown) => call.emit("error", statusOf(thrown)),
      );
    };

  async #contextOf<Request, Response>(call: Call<Request, Response>): Promise<CallContext> {
    const { requestId, signal } = surroundingsOf(call);
    return { requestId, signal, principal: await this.#authenticate(authorizationOf(call)) };
  }
}
