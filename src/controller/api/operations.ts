/** The operations of the controller: the interface that `rest/` and `grpc/` adapt. */
import type { AuditEntry } from "../../audit/entry.ts";
import type { Principal } from "../../auth/principal.ts";
import type { ListAuditRequest, ListAuditResponse } from "../../gen/proto/svc/v1/audit_pb.ts";
import type {
  CancelJobRequest,
  CancelJobResponse,
  CancelJobsRequest,
  CancelJobsResponse,
  DeleteJobRequest,
  DeleteJobResponse,
  DeleteJobsRequest,
  DeleteJobsResponse,
  DeleteStillRequest,
  DeleteStillResponse,
  GetJobFramesRequest,
  GetJobRequest,
  GetJobResponse,
  GetStillRequest,
  GetStillResponse,
  ListJobsRequest,
  ListJobsResponse,
  ListStillsRequest,
  ListStillsResponse,
  RequestStillsRequest,
  RequestStillsResponse,
  StreamJobsRequest,
  StreamJobsResponse,
  SubmitJobRequest,
  SubmitJobResponse,
  SubmitJobsRequest,
  SubmitJobsResponse,
  UpdateJobRequest,
  UpdateJobResponse,
} from "../../gen/proto/svc/v1/job_pb.ts";
import type {
  DrainNodeRequest,
  DrainNodeResponse,
  HeartbeatRequest,
  HeartbeatResponse,
  ListNodesRequest,
  ListNodesResponse,
  PullWorkRequest,
  PullWorkResponse,
  RegisterNodeRequest,
  RegisterNodeResponse,
  ReportResultRequest,
  ReportResultResponse,
} from "../../gen/proto/svc/v1/node_pb.ts";
import type { ScoreResult } from "../../gen/proto/svc/v1/scoring_pb.ts";
import type {
  GetTenantRequest,
  GetTenantResponse,
  LiftRevocationRequest,
  LiftRevocationResponse,
  ListRevocationsRequest,
  ListRevocationsResponse,
  RevokeTokensRequest,
  RevokeTokensResponse,
  WhoAmIRequest,
  WhoAmIResponse,
} from "../../gen/proto/svc/v1/tenant_pb.ts";

/** The context of a request, the same for every transport. */
export interface CallContext {
  readonly requestId: string;
  readonly principal: Principal;
  /** Aborts when the caller disconnected or cancelled. */
  readonly signal: AbortSignal;
  /** Throws Failure if the caller would be rejected now; undefined: that cannot happen. */
  readonly readmit?: () => Promise<unknown>;
  /** The entry of the call in the audit log; undefined: not audited. */
  readonly entry?: AuditEntry | undefined;
}

/** Per-frame scores of one frame: its number in the whole video, and the finite values of its metrics. */
export interface FrameValues {
  readonly frame: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** The frames of one scored segment, produced one by one. Iterate it once, before the next part is requested. */
export interface FramePart {
  readonly metrics: readonly string[];
  rows(): Iterable<FrameValues>;
}

/** How a wait for a job ends: with the result, or with the job still running at the deadline. */
export type Waited =
  | { readonly done: true; readonly result: ScoreResult; readonly jobId: string }
  | { readonly done: false; readonly jobId: string };

/** Every method throws only Failure. */
export interface JobOperations {
  submitJob(request: SubmitJobRequest, context: CallContext): Promise<SubmitJobResponse>;
  /**
   * As submitJob, for a caller that waits for the job. Throws NO_NODE_ONLINE if no online node serves the tenant.
   * Throws SHUTTING_DOWN if waits have ended and the caller accepts only the result (`resultOnly`). Throws neither for
   * a job that was stored before.
   */
  submitAwaited(
    request: SubmitJobRequest,
    options: { readonly resultOnly: boolean },
    context: CallContext,
  ): Promise<SubmitJobResponse>;
  submitJobs(request: SubmitJobsRequest, context: CallContext): Promise<SubmitJobsResponse>;
  getJob(request: GetJobRequest, context: CallContext): Promise<GetJobResponse>;
  listJobs(request: ListJobsRequest, context: CallContext): Promise<ListJobsResponse>;
  cancelJob(request: CancelJobRequest, context: CallContext): Promise<CancelJobResponse>;
  /**
   * Yields the progress after each step until the request is done or the context's signal aborts. The first step
   * checks the request.
   */
  cancelJobs(request: CancelJobsRequest, context: CallContext): AsyncIterable<CancelJobsResponse>;
  deleteJob(request: DeleteJobRequest, context: CallContext): Promise<DeleteJobResponse>;
  /** As cancelJobs. */
  deleteJobs(request: DeleteJobsRequest, context: CallContext): AsyncIterable<DeleteJobsResponse>;
  updateJob(request: UpdateJobRequest, context: CallContext): Promise<UpdateJobResponse>;
  /**
   * Yields until the context's signal aborts. Throws STREAM_TOO_SLOW if the consumer falls too far behind, and what
   * `readmit` throws, at most a second after it would throw.
   */
  streamJobs(request: StreamJobsRequest, context: CallContext): AsyncIterable<StreamJobsResponse>;
  /** The parts in frame order, each read from the store when it is requested. The first step checks the job. */
  getJobFrames(request: GetJobFramesRequest, context: CallContext): AsyncIterable<FramePart>;
  listStills(request: ListStillsRequest, context: CallContext): Promise<ListStillsResponse>;
  getStill(request: GetStillRequest, context: CallContext): Promise<GetStillResponse>;
  requestStills(request: RequestStillsRequest, context: CallContext): Promise<RequestStillsResponse>;
  deleteStill(request: DeleteStillRequest, context: CallContext): Promise<DeleteStillResponse>;
  /**
   * Waits at most `waitMs` for a job to end. Throws the job's own failure if it failed, and SCORE_CANCELLED if it was
   * cancelled. Throws SHUTTING_DOWN with the `jobId` when the controller stops; the job continues. If the context's
   * signal aborts first, throws SCORE_CANCELLED, and cancels the job unless `keep` is set. Throws what `readmit`
   * throws, except TOKEN_EXPIRED, at most a second after it would throw; the job continues.
   */
  waitForJob(
    jobId: string,
    options: { readonly waitMs: number; readonly keep: boolean },
    context: CallContext,
  ): Promise<Waited>;
}

/** Every method throws only Failure. */
export interface NodeOperations {
  registerNode(request: RegisterNodeRequest, context: CallContext): Promise<RegisterNodeResponse>;
  heartbeat(request: HeartbeatRequest, context: CallContext): Promise<HeartbeatResponse>;
  /**
   * Checks the caller again before it hands out a task: throws what `readmit` throws, or returns no task if the token
   * expired.
   */
  pullWork(request: PullWorkRequest, context: CallContext): Promise<PullWorkResponse>;
  reportResult(request: ReportResultRequest, context: CallContext): Promise<ReportResultResponse>;
  listNodes(request: ListNodesRequest, context: CallContext): Promise<ListNodesResponse>;
  drainNode(request: DrainNodeRequest, context: CallContext): Promise<DrainNodeResponse>;
}

/** Operations on the caller's tenant. Every method throws only Failure. */
export interface TenantOperations {
  getTenant(request: GetTenantRequest, context: CallContext): Promise<GetTenantResponse>;
  whoAmI(request: WhoAmIRequest, context: CallContext): Promise<WhoAmIResponse>;
}

/** The revoked tokens of the caller's tenant. Every method throws only Failure. */
export interface RevocationOperations {
  /** Takes effect at this controller before it returns, at all others within a second. */
  revokeTokens(request: RevokeTokensRequest, context: CallContext): Promise<RevokeTokensResponse>;
  listRevocations(request: ListRevocationsRequest, context: CallContext): Promise<ListRevocationsResponse>;
  liftRevocation(request: LiftRevocationRequest, context: CallContext): Promise<LiftRevocationResponse>;
}

/** The audit log of the caller's tenant. Throws only Failure. */
export interface AuditOperations {
  listAudit(request: ListAuditRequest, context: CallContext): Promise<ListAuditResponse>;
}

/** All operations of the controller. */
export interface Operations {
  readonly jobs: JobOperations;
  readonly nodes: NodeOperations;
  readonly tenants: TenantOperations;
  readonly revocations: RevocationOperations;
  readonly audit: AuditOperations;
}
