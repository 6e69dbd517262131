/** svc.v1.JobService, NodeService and TenantService over gRPC. The handlers call the controller's services. */
import { create } from "@bufbuild/protobuf";
import type { handleServerStreamingCall, handleUnaryCall } from "@grpc/grpc-js";
import type {
  AuditOperations,
  CallContext,
  JobOperations,
  NodeOperations,
  Operations,
  RevocationOperations,
  TenantOperations,
} from "../controller/api/operations.ts";
import {
  type GetJobFramesRequest,
  type GetJobFramesResponse,
  GetJobFramesResponseSchema,
  JobService,
} from "../gen/proto/svc/v1/job_pb.ts";
import { NodeService } from "../gen/proto/svc/v1/node_pb.ts";
import { TenantService } from "../gen/proto/svc/v1/tenant_pb.ts";
import { frameBatches } from "../messages/result.ts";
import { admittedOf } from "./admission.ts";
import { entryOf } from "./auditing.ts";
import { answerOnce, answerStream, type Call, type Surroundings, send } from "./call.ts";
import type { ServedService } from "./server.ts";

/** Bytes. Large enough to send a film in few messages, small enough to hold one for every reader. */
const MAX_BATCH_BYTES = 256 * 1024;

export const CONTROLLER_DESCRIPTORS = [JobService, NodeService, TenantService] as const;

/** @param operations throws Failure until the services are open. */
export function controllerServices(operations: () => Operations): readonly ServedService[] {
  return [
    { descriptor: JobService, handlers: jobHandlers(() => operations().jobs) },
    { descriptor: NodeService, handlers: nodeHandlers(() => operations().nodes) },
    {
      descriptor: TenantService,
      handlers: {
        ...tenantHandlers(() => operations().tenants),
        ...revocationHandlers(() => operations().revocations),
        listAudit: once((...call: Parameters<AuditOperations["listAudit"]>) =>
          operations().audit.listAudit(...call),
        ),
      },
    },
  ];
}

type OfJobs<Name extends keyof JobOperations> = Parameters<JobOperations[Name]>;
type OfNodes<Name extends keyof NodeOperations> = Parameters<NodeOperations[Name]>;
type OfRevocations<Name extends keyof RevocationOperations> = Parameters<RevocationOperations[Name]>;
type OfTenants<Name extends keyof TenantOperations> = Parameters<TenantOperations[Name]>;

function jobHandlers(jobs: () => JobOperations): ServedService["handlers"] {
  return {
    submitJob: once((...call: OfJobs<"submitJob">) => jobs().submitJob(...call)),
    submitJobs: once((...call: OfJobs<"submitJobs">) => jobs().submitJobs(...call)),
    getJob: once((...call: OfJobs<"getJob">) => jobs().getJob(...call)),
    listJobs: once((...call: OfJobs<"listJobs">) => jobs().listJobs(...call)),
    updateJob: once((...call: OfJobs<"updateJob">) => jobs().updateJob(...call)),
    cancelJob: once((...call: OfJobs<"cancelJob">) => jobs().cancelJob(...call)),
    cancelJobs: inParts((...call: OfJobs<"cancelJobs">) => jobs().cancelJobs(...call)),
    deleteJob: once((...call: OfJobs<"deleteJob">) => jobs().deleteJob(...call)),
    deleteJobs: inParts((...call: OfJobs<"deleteJobs">) => jobs().deleteJobs(...call)),
    listStills: once((...call: OfJobs<"listStills">) => jobs().listStills(...call)),
    getStill: once((...call: OfJobs<"getStill">) => jobs().getStill(...call)),
    requestStills: once((...call: OfJobs<"requestStills">) => jobs().requestStills(...call)),
    deleteStill: once((...call: OfJobs<"deleteStill">) => jobs().deleteStill(...call)),
    streamJobs: inParts((...call: OfJobs<"streamJobs">) => jobs().streamJobs(...call)),
    getJobFrames: inParts((...call: OfJobs<"getJobFrames">) => framesOf(jobs(), ...call)),
  };
}

function nodeHandlers(nodes: () => NodeOperations): ServedService["handlers"] {
  return {
    registerNode: once((...call: OfNodes<"registerNode">) => nodes().registerNode(...call)),
    heartbeat: once((...call: OfNodes<"heartbeat">) => nodes().heartbeat(...call)),
    pullWork: once((...call: OfNodes<"pullWork">) => nodes().pullWork(...call)),
    reportResult: once((...call: OfNodes<"reportResult">) => nodes().reportResult(...call)),
    listNodes: once((...call: OfNodes<"listNodes">) => nodes().listNodes(...call)),
    drainNode: once((...call: OfNodes<"drainNode">) => nodes().drainNode(...call)),
  };
}

function tenantHandlers(tenants: () => TenantOperations): ServedService["handlers"] {
  return {
    whoAmI: once((...call: OfTenants<"whoAmI">) => tenants().whoAmI(...call)),
    getTenant: once((...call: OfTenants<"getTenant">) => tenants().getTenant(...call)),
  };
}

function revocationHandlers(revocations: () => RevocationOperations): ServedService["handlers"] {
  return {
    revokeTokens: once((...call: OfRevocations<"revokeTokens">) => revocations().revokeTokens(...call)),
    listRevocations: once((...call: OfRevocations<"listRevocations">) =>
      revocations().listRevocations(...call),
    ),
    liftRevocation: once((...call: OfRevocations<"liftRevocation">) => revocations().liftRevocation(...call)),
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
