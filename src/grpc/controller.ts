/** svc.v1.JobService, ComparisonService, NodeService, TenantService and UploadService over gRPC: every method calls the operation of its name. */
import { create, type DescMethod, type DescService } from "@bufbuild/protobuf";
import type { handleServerStreamingCall, handleUnaryCall } from "@grpc/grpc-js";
import type { CallContext, JobOperations, Operations, OperationsOf } from "../controller/api/operations.ts";
import { ComparisonService } from "../gen/proto/svc/v1/comparison_pb.ts";
import {
  type GetJobFramesRequest,
  type GetJobFramesResponse,
  GetJobFramesResponseSchema,
  JobService,
} from "../gen/proto/svc/v1/job_pb.ts";
import { NodeService } from "../gen/proto/svc/v1/node_pb.ts";
import { TenantService } from "../gen/proto/svc/v1/tenant_pb.ts";
import { UploadService } from "../gen/proto/svc/v1/upload_pb.ts";
import { frameBatches } from "../messages/result.ts";
import { admittedOf } from "./admission.ts";
import { entryOf } from "./auditing.ts";
import { answerOnce, answerStream, type Call, type Surroundings, send } from "./call.ts";
import type { ServedService } from "./server.ts";

/**
 * Maximum bytes of a batch of frames: large enough to send a film in few messages, small enough to hold one
 * for every reader.
 */
const MAX_BATCH_BYTES = 256 * 1024;

export const CONTROLLER_DESCRIPTORS = [
  JobService,
  ComparisonService,
  NodeService,
  TenantService,
  UploadService,
] as const;

/** @param operations throws Failure until the services are open. */
export function controllerServices(operations: () => Operations): readonly ServedService[] {
  return [
    served(JobService, () => operations().jobs, {
      getJobFrames: (request, context) => framesOf(operations().jobs, request, context),
    }),
    served(ComparisonService, () => operations().comparisons, {}),
    served(NodeService, () => operations().nodes, {}),
    served(TenantService, () => operations().tenants, {}),
    served(UploadService, () => operations().uploads, {}),
  ];
}

type Unary = (request: unknown, context: CallContext) => Promise<unknown>;
type Streamed = (request: unknown, context: CallContext) => AsyncIterable<unknown>;

/** `adapted`: operations whose responses are not messages, converted to messages. */
function served<
  Service extends DescService & { readonly method: Readonly<Record<string, DescMethod>> },
  Adapted extends Partial<OperationsOf<Service>>,
>(
  descriptor: Service,
  operations: () => Omit<OperationsOf<Service>, keyof Adapted>,
  adapted: Adapted,
): ServedService {
  const operation = (name: string) => {
    const given: Readonly<Record<string, unknown>> = name in adapted ? adapted : operations();
    return given[name];
  };
  const handlers = descriptor.methods.map(({ localName: name, methodKind }) => [
    name,
    methodKind === "unary"
      ? once((...call) => (operation(name) as Unary)(...call))
      : inParts((...call) => (operation(name) as Streamed)(...call)),
  ]);
  return { descriptor, handlers: Object.fromEntries(handlers) };
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

/** A handler with a single response. */
function once<Request, Response>(
  operation: (request: Request, context: CallContext) => Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) =>
    answerOnce(call, callback, (surroundings) => operation(call.request, contextOf(call, surroundings)));
}

/** A handler with a stream of responses. The next one is requested when the client has accepted the previous one. */
function inParts<Request, Response>(
  operation: (request: Request, context: CallContext) => AsyncIterable<Response>,
): handleServerStreamingCall<Request, Response> {
  return (call) =>
    answerStream(call, async (surroundings) => {
      const context = contextOf(call, surroundings);
      for await (const part of operation(call.request, context)) await send(call, part, context.signal);
    });
}

function contextOf<Request, Response>(
  { metadata }: Call<Request, Response>,
  { requestId, signal }: Surroundings,
): CallContext {
  return { requestId, signal, entry: entryOf(metadata), ...admittedOf(metadata) };
}
