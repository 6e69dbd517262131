/** What the audit log records of each operation: the ids of its targets, beside caller and outcome. */
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
      readonly asked?: (request: Request) => Ids;
      /** The ids in the response. */
      readonly made?: (response: ResponseOf<Result>) => Ids;
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
  submitJob: { made: ({ job }) => [job?.id] },
  submitAwaited: { made: ({ job }) => [job?.id] },
  submitJobs: { made: ({ jobs }) => jobs.map(({ job }) => job?.id) },
  getJob: { asked: idOf },
  cancelJob: { asked: idOf },
  finishJob: { asked: idOf, made: ({ job }) => [job?.id] },
  cancelJobs: { stream: "change", asked: idsOf },
  deleteJob: { asked: idOf },
  deleteJobs: { stream: "change", asked: idsOf },
  updateJob: { asked: idOf },
  streamJobs: { stream: "read", asked: ({ ids }) => ids },
  getJobFrames: { stream: "read", asked: idOf },
  listStills: { asked: idOf },
  getStill: { asked: idOf },
  requestStills: { asked: idOf },
  deleteStill: { asked: idOf },
  listClips: { asked: idOf },
  getClip: { stream: "read", asked: idOf },
  requestClips: { asked: idOf },
  deleteClip: { asked: idOf },
  waitForJob: { asked: (jobId) => [jobId] },
};

export const COMPARISON_RULES: AuditRules<ComparisonOperations> = {
  submitComparison: { made: ({ comparison }) => [comparison?.id] },
  getComparison: { asked: idOf },
  addCells: { asked: idOf },
  retryCells: { asked: idOf },
  cancelComparison: { asked: idOf },
  deleteComparison: { asked: idOf },
};

/** Sessions are secrets of their nodes, so the target of these operations is the task or the node. */
export const NODE_RULES: AuditRules<NodeOperations> = {
  registerNode: { made: ({ nodeId }) => [nodeId] },
  pullWork: { made: ({ item }) => [item?.jobId, item?.itemId] },
  reportResult: { asked: ({ itemId }) => [itemId] },
  signTitleObjects: { asked: ({ itemId }) => [itemId] },
  drainNode: { asked: idOf },
};

export const TENANT_RULES: AuditRules<TenantOperations> = {
  revokeTokens: {
    asked: ({ what }) => [typeof what.value === "string" ? what.value : undefined],
    made: ({ revocation }) => [revocation?.id],
  },
  liftRevocation: { asked: idOf },
};

export const UPLOAD_RULES: AuditRules<UploadOperations> = {
  createUpload: { made: ({ upload }) => [upload?.id] },
  appendUpload: { asked: idOf },
  signUploadParts: { asked: idOf },
  completeUpload: { asked: idOf },
  getUpload: { asked: idOf },
  deleteUpload: { asked: idOf },
};
