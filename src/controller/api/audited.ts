/** Wraps the controller's operations for the audit log: records their targets and outcome. */
import { Failure } from "../../platform/failure.ts";
import type {
  AuditOperations,
  CallContext,
  JobOperations,
  NodeOperations,
  RevocationOperations,
  TenantOperations,
} from "./operations.ts";

type Ids = readonly (string | undefined)[];

export function auditedJobs(jobs: JobOperations): JobOperations {
  return {
    submitJob: once(
      (...call) => jobs.submitJob(...call),
      () => [],
      ({ job }) => [job?.id],
    ),
    submitAwaited: (request, options, context) =>
      watched(
        context,
        [],
        () => jobs.submitAwaited(request, options, context),
        ({ job }) => [job?.id],
      ),
    submitJobs: once(
      (...call) => jobs.submitJobs(...call),
      () => [],
      (response) => response.jobs.map(({ job }) => job?.id),
    ),
    getJob: once((...call) => jobs.getJob(...call), idOf),
    listJobs: once((...call) => jobs.listJobs(...call)),
    cancelJob: once((...call) => jobs.cancelJob(...call), idOf),
    cancelJobs: inSteps((...call) => jobs.cancelJobs(...call), idsOf),
    deleteJob: once((...call) => jobs.deleteJob(...call), idOf),
    deleteJobs: inSteps((...call) => jobs.deleteJobs(...call), idsOf),
    updateJob: once((...call) => jobs.updateJob(...call), idOf),
    streamJobs: inParts(
      (...call) => jobs.streamJobs(...call),
      ({ ids }) => ids,
    ),
    getJobFrames: inParts((...call) => jobs.getJobFrames(...call), idOf),
    listStills: once((...call) => jobs.listStills(...call), idOf),
    getStill: once((...call) => jobs.getStill(...call), idOf),
    requestStills: once((...call) => jobs.requestStills(...call), idOf),
    deleteStill: once((...call) => jobs.deleteStill(...call), idOf),
    waitForJob: (jobId, options, context) =>
      watched(context, [jobId], () => jobs.waitForJob(jobId, options, context)),
  };
}

/** Sessions are secrets of their nodes, so the target of these operations is the task or the node. */
export function auditedNodes(nodes: NodeOperations): NodeOperations {
  return {
    registerNode: once(
      (...call) => nodes.registerNode(...call),
      () => [],
      ({ nodeId }) => [nodeId],
    ),
    heartbeat: once((...call) => nodes.heartbeat(...call)),
    pullWork: once(
      (...call) => nodes.pullWork(...call),
      () => [],
      ({ item }) => [item?.jobId, item?.itemId],
    ),
    reportResult: once(
      (...call) => nodes.reportResult(...call),
      ({ itemId }) => [itemId],
    ),
    listNodes: once((...call) => nodes.listNodes(...call)),
    drainNode: once((...call) => nodes.drainNode(...call), idOf),
  };
}

export function auditedTenants(tenants: TenantOperations): TenantOperations {
  return {
    getTenant: once((...call) => tenants.getTenant(...call)),
    whoAmI: once((...call) => tenants.whoAmI(...call)),
  };
}

export function auditedRevocations(revocations: RevocationOperations): RevocationOperations {
  return {
    revokeTokens: once(
      (...call) => revocations.revokeTokens(...call),
      ({ what }) => [typeof what.value === "string" ? what.value : undefined],
      ({ revocation }) => [revocation?.id],
    ),
    listRevocations: once((...call) => revocations.listRevocations(...call)),
    liftRevocation: once((...call) => revocations.liftRevocation(...call), idOf),
  };
}

export function auditedAudit(audit: AuditOperations): AuditOperations {
  return { listAudit: once((...call) => audit.listAudit(...call)) };
}

function idsOf({ filter }: { readonly filter?: { readonly ids: Ids } | undefined }): Ids {
  return filter?.ids ?? [];
}

function idOf({ id }: { readonly id: string }): Ids {
  return [id];
}

/** An operation with one response. `asked`: the ids in the request; `made`: the ids in the response. */
function once<Request, Response>(
  call: (request: Request, context: CallContext) => Promise<Response>,
  asked: (request: NoInfer<Request>) => Ids = () => [],
  made: (response: NoInfer<Response>) => Ids = () => [],
): (request: Request, context: CallContext) => Promise<Response> {
  return (request, context) => watched(context, asked(request), () => call(request, context), made);
}

async function watched<Response>(
  { entry }: CallContext,
  asked: Ids,
  work: () => Promise<Response>,
  made: (response: Response) => Ids = () => [],
): Promise<Response> {
  if (entry === undefined) return work();
  const release = entry.hold();
  let done = false;
  try {
    entry.about(asked);
    const response = await work();
    entry.about(made(response));
    done = true;
    return response;
  } catch (thrown) {
    entry.failed(Failure.from(thrown).code);
    throw thrown;
  } finally {
    release(done);
  }
}

/**
 * An operation with a streamed response. It ends when the caller has all parts or disconnects, even if the transport
 * never finishes the stream.
 */
function inParts<Request, Part>(
  call: (request: Request, context: CallContext) => AsyncIterable<Part>,
  asked: (request: NoInfer<Request>) => Ids,
): (request: Request, context: CallContext) => AsyncIterable<Part> {
  return async function* (request, context) {
    const { entry, signal } = context;
    const release = entry?.hold();
    const end = () => release?.(false);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
    try {
      entry?.about(asked(request));
      yield* call(request, context);
    } catch (thrown) {
      entry?.failed(Failure.from(thrown).code);
      throw thrown;
    } finally {
      signal.removeEventListener("abort", end);
      end();
    }
  };
}

/** An operation that changes jobs step by step. It ends with its last step, even if the caller disconnected before. */
function inSteps<Request, Part>(
  call: (request: Request, context: CallContext) => AsyncIterable<Part>,
  asked: (request: NoInfer<Request>) => Ids,
): (request: Request, context: CallContext) => AsyncIterable<Part> {
  return async function* (request, context) {
    const { entry } = context;
    const release = entry?.hold();
    try {
      entry?.about(asked(request));
      yield* call(request, context);
    } catch (thrown) {
      entry?.failed(Failure.from(thrown).code);
      throw thrown;
    } finally {
      release?.(false);
    }
  };
}
