/** The rules by which the audit log records the targets of each operation, in addition to caller and outcome. */
import type {
  ComparisonOperations,
  JobOperations,
  NodeOperations,
  TenantOperations,
  UploadOperations,
} from "./operations.ts";

export type Ids = readonly (string | undefined)[];

type ResponseOf<Result> = Result extends AsyncIterable<unknown> ? never : Awaited<Result>;

/** The rule of an operation. Every operation with a streamed response has one, because of `stream`. */
type RuleOf<Operation> = Operation extends (request: infer Request, ...rest: infer _) => infer Result
  ? {
      /** The ids in the request. */
      readonly requestIds?: (request: Request) => Ids;
      /** The ids in the response. */
      readonly responseIds?: (response: ResponseOf<Result>) => Ids;
    } & (Result extends AsyncIterable<unknown>
      ? {
          /**
           * "read": ends when the caller has all parts or disconnects, even if the transport never finishes the stream.
           * "change": ends with its last step, even if the caller disconnected before.
           */
          readonly stream: "read" | "change";
        }
      : unknown)
  : never;

type Streamed<Service> = {
  [Name in keyof Service]: Service[Name] extends (...args: never) => AsyncIterable<unknown> ? Name : never;
}[keyof Service];

export type AuditRules<Service> = {
  readonly [Name in Streamed<Service>]: RuleOf<Service[Name]>;
} & { readonly [Name in Exclude<keyof Service, Streamed<Service>>]?: RuleOf<Service[Name]> };

const idOf = ({ id }: { readonly id: string }): Ids => [id];
const idsOf = ({ filter }: { readonly filter?: { readonly ids: Ids } | undefined }): Ids => filter?.ids ?? [];

export const JOB_RULES: AuditRules<JobOperations> = {
  submitJob: { responseIds: ({ job }) => [job?.id] },
  submitAwaited: { responseIds: ({ job }) => [job?.id] },
  submitJobs: { responseIds: ({ jobs }) => jobs.map(({ job }) => job?.id) },
  getJob: { requestIds: idOf },
  cancelJob: { requestIds: idOf },
  finishJob: { requestIds: idOf, responseIds: ({ job }) => [job?.id] },
  cancelJobs: { stream: "change", requestIds: idsOf },
  deleteJob: { requestIds: idOf },
  deleteJobs: { stream: "change", requestIds: idsOf },
  updateJob: { requestIds: idOf },
  streamJobs: { stream: "read", requestIds: ({ ids }) => ids },
  getJobFrames: { stream: "read", requestIds: idOf },
  listStills: { requestIds: idOf },
  getStill: { requestIds: idOf },
  requestStills: { requestIds: idOf },
  deleteStill: { requestIds: idOf },
  listClips: { requestIds: idOf },
  getClip: { stream: "read", requestIds: idOf },
  requestClips: { requestIds: idOf },
  deleteClip: { requestIds: idOf },
  waitForJob: { requestIds: (jobId) => [jobId] },
};

export const COMPARISON_RULES: AuditRules<ComparisonOperations> = {
  submitComparison: { responseIds: ({ comparison }) => [comparison?.id] },
  getComparison: { requestIds: idOf },
  addCells: { requestIds: idOf },
  retryCells: { requestIds: idOf },
  cancelComparison: { requestIds: idOf },
  deleteComparison: { requestIds: idOf },
};

/** Sessions are secrets of their nodes, so the target of these operations is the task or the node. */
export const NODE_RULES: AuditRules<NodeOperations> = {
  registerNode: { responseIds: ({ nodeId }) => [nodeId] },
  pullWork: { responseIds: ({ item }) => [item?.jobId, item?.itemId] },
  reportResult: { requestIds: ({ itemId }) => [itemId] },
  signTitleObjects: { requestIds: ({ itemId }) => [itemId] },
  drainNode: { requestIds: idOf },
};

export const TENANT_RULES: AuditRules<TenantOperations> = {
  revokeTokens: {
    requestIds: ({ what }) => [typeof what.value === "string" ? what.value : undefined],
    responseIds: ({ revocation }) => [revocation?.id],
  },
  liftRevocation: { requestIds: idOf },
};

export const UPLOAD_RULES: AuditRules<UploadOperations> = {
  createUpload: { responseIds: ({ upload }) => [upload?.id] },
  appendUpload: { requestIds: idOf },
  signUploadParts: { requestIds: idOf },
  completeUpload: { requestIds: idOf },
  getUpload: { requestIds: idOf },
  deleteUpload: { requestIds: idOf },
};
