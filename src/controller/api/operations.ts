/** The operations of the controller: the interface that `rest/` and `grpc/` adapt. Every operation throws only Failure. */
import type { DescMessage, DescMethod, MessageShape } from "@bufbuild/protobuf";
import type { AuditEntry } from "../../audit/entry.ts";
import type { Principal } from "../../auth/principal.ts";
import type { ComparisonService } from "../../gen/proto/svc/v1/comparison_pb.ts";
import type {
  GetJobFramesRequest,
  JobService,
  SubmitJobRequest,
  SubmitJobResponse,
} from "../../gen/proto/svc/v1/job_pb.ts";
import type { NodeService } from "../../gen/proto/svc/v1/node_pb.ts";
import type { ScoreResult } from "../../gen/proto/svc/v1/scoring_pb.ts";
import type { TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
import type { UploadService } from "../../gen/proto/svc/v1/upload_pb.ts";

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

type OperationOf<Method> = Method extends {
  methodKind: infer Kind;
  input: infer Input extends DescMessage;
  output: infer Output extends DescMessage;
}
  ? (
      request: MessageShape<Input>,
      context: CallContext,
    ) => Kind extends "unary" ? Promise<MessageShape<Output>> : AsyncIterable<MessageShape<Output>>
  : never;

/** The operations of a service, as api/proto describes them. */
export type OperationsOf<Service extends { readonly method: Readonly<Record<string, DescMethod>> }> = {
  readonly [Name in keyof Service["method"]]: OperationOf<Service["method"][Name]>;
};

export interface JobOperations extends Omit<OperationsOf<typeof JobService>, "getJobFrames"> {
  /**
   * Like submitJob, for a caller that waits for the job. Throws NO_NODE_ONLINE if no online node serves the tenant.
   * Throws SHUTTING_DOWN if waits have ended and the caller accepts only the result (`resultOnly`). Throws neither for
   * a job that was stored before.
   */
  submitAwaited(
    request: SubmitJobRequest,
    options: { readonly resultOnly: boolean },
    context: CallContext,
  ): Promise<SubmitJobResponse>;
  /** The parts in frame order, each read from the store when it is requested. The first step checks the job. */
  getJobFrames(request: GetJobFramesRequest, context: CallContext): AsyncIterable<FramePart>;
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

/** Operations on sets of jobs that are compared. */
export type ComparisonOperations = OperationsOf<typeof ComparisonService>;

export type NodeOperations = OperationsOf<typeof NodeService>;

/** Operations on the caller's tenant: its usage, its revoked tokens, its audit log, its media. */
export type TenantOperations = OperationsOf<typeof TenantService>;

/** Operations on videos that the caller's tenant sends. */
export type UploadOperations = OperationsOf<typeof UploadService>;

/** All operations of the controller. */
export interface Operations {
  readonly jobs: JobOperations;
  readonly comparisons: ComparisonOperations;
  readonly nodes: NodeOperations;
  readonly tenants: TenantOperations;
  readonly uploads: UploadOperations;
}
