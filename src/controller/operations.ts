/** What the controller offers: the interface that `rest/` and `rpc/` adapt, and nothing else of it. */
import type { AuditEntry } from "../audit/entry.ts";
import type { Principal } from "../auth/principal.ts";
import type { ListAuditRequest, ListAuditResponse } from "../gen/proto/svc/v1/audit_pb.ts";
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
} from "../gen/proto/svc/v1/job_pb.ts";
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
} from "../gen/proto/svc/v1/node_pb.ts";
import type { ScoreResult } from "../gen/proto/svc/v1/scoring_pb.ts";
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
} from "../gen/proto/svc/v1/tenant_pb.ts";

/** A request's surroundings, the same from every transport. */
export interface CallContext {
  readonly requestId: string;
  readonly principal: Principal;
  /** Aborts when the caller has gone or cancelled. */
  readonly signal: AbortSignal;
  /** Throws Failure when the caller would not be let in any more; undefined: that cannot come to be. */
  readonly readmit?: () => Promise<unknown>;
  /** What the audit log is told of it; undefined: nothing. */
  readonly entry?: AuditEntry | undefined;
}

/** Per-frame values of one frame: its number in the whole, and the finite values of its metrics. */
export interface FrameValues {
  readonly frame: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** A part of a job's frames: those of one scored segment, produced one by one. To be taken once, before the next part. */
export interface FramePart {
  readonly metrics: readonly string[];
  rows(): Iterable<FrameValues>;
}

/** How a submission that waits ends: with the result, or still running when its time is over. */
export type Waited =
  | { readonly done: true; readonly result: ScoreResult; readonly jobId: string }
  | { readonly done: false; readonly jobId: string };

/** Every method throws Failure and nothing else. */
export interface JobOperations {
  submitJob(request: SubmitJobRequest, context: CallContext): Promise<SubmitJobResponse>;
  /**
   * As submitJob, for a caller that waits for the job. Throws NO_NODE_ONLINE when no node could take a job
   * of its tenant now, and SHUTTING_DOWN when nobody is let wait any more and it takes nothing but the
   * result (`resultOnly`); of a job that was stored before neither.
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
  /** Yields how far it is after each step, until all is done or the context's signal aborts. The first step checks the request. */
  cancelJobs(request: CancelJobsRequest, context: CallContext): AsyncIterable<CancelJobsResponse>;
  deleteJob(request: DeleteJobRequest, context: CallContext): Promise<DeleteJobResponse>;
  /** As cancelJobs. */
  deleteJobs(request: DeleteJobsRequest, context: CallContext): AsyncIterable<DeleteJobsResponse>;
  updateJob(request: UpdateJobRequest, context: CallContext): Promise<UpdateJobResponse>;
  /**
   * Yields until the context's signal aborts; throws STREAM_TOO_SLOW when the consumer falls too far
   * behind, and what `readmit` throws, at most a second after it would.
   */
  streamJobs(request: StreamJobsRequest, context: CallContext): AsyncIterable<StreamJobsResponse>;
  /** The parts in frame order, each read from the store when it is asked for. The first step checks the job. */
  getJobFrames(request: GetJobFramesRequest, context: CallContext): AsyncIterable<FramePart>;
  listStills(request: ListStillsRequest, context: CallContext): Promise<ListStillsResponse>;
  getStill(request: GetStillRequest, context: CallContext): Promise<GetStillResponse>;
  requestStills(request: RequestStillsRequest, context: CallContext): Promise<RequestStillsResponse>;
  deleteStill(request: DeleteStillRequest, context: CallContext): Promise<DeleteStillResponse>;
  /**
   * Waits until a job ends, at most `waitMs`. Throws the job's own failure when it failed, and
   * SCORE_CANCELLED when it was cancelled. When the controller stops it throws SHUTTING_DOWN with the
   * `jobId` of the job, which goes on. When the context's signal aborts first it throws
   * SCORE_CANCELLED, and the job is cancelled unless `keep`. Throws what `readmit` throws, at most a second
   * after it would, but for TOKEN_EXPIRED; the job goes on.
   */
  waitForJob(
    jobId: string,
    options: { readonly waitMs: number; readonly keep: boolean },
    context: CallContext,
  ): Promise<Waited>;
}

/** Every method throws Failure and nothing else. */
export interface NodeOperations {
  registerNode(request: RegisterNodeRequest, context: CallContext): Promise<RegisterNodeResponse>;
  heartbeat(request: HeartbeatRequest, context: CallContext): Promise<HeartbeatResponse>;
  /** Gives work to who would be let in anew: throws what `readmit` throws, or gives none when its token expired. */
  pullWork(request: PullWorkRequest, context: CallContext): Promise<PullWorkResponse>;
  reportResult(request: ReportResultRequest, context: CallContext): Promise<ReportResultResponse>;
  listNodes(request: ListNodesRequest, context: CallContext): Promise<ListNodesResponse>;
  drainNode(request: DrainNodeRequest, context: CallContext): Promise<DrainNodeResponse>;
}

/** Every method is about the caller's tenant. Each throws Failure and nothing else. */
export interface TenantOperations {
  getTenant(request: GetTenantRequest, context: CallContext): Promise<GetTenantResponse>;
  whoAmI(request: WhoAmIRequest, context: CallContext): Promise<WhoAmIResponse>;
}

/** The revoked tokens of the caller's tenant. Every method throws Failure and nothing else. */
export interface RevocationOperations {
  /** This controller acts on it before it answers, the others within a second. */
  revokeTokens(request: RevokeTokensRequest, context: CallContext): Promise<RevokeTokensResponse>;
  listRevocations(request: ListRevocationsRequest, context: CallContext): Promise<ListRevocationsResponse>;
  liftRevocation(request: LiftRevocationRequest, context: CallContext): Promise<LiftRevocationResponse>;
}

/** The audit log of the caller's tenant. Throws Failure and nothing else. */
export interface AuditOperations {
  listAudit(request: ListAuditRequest, context: CallContext): Promise<ListAuditResponse>;
}

/** All that the controller offers. */
export interface Operations {
  readonly jobs: JobOperations;
  readonly nodes: NodeOperations;
  readonly tenants: TenantOperations;
  readonly revocations: RevocationOperations;
  readonly audit: AuditOperations;
}
