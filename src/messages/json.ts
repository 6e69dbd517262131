/** Messages as canonical proto JSON with zero values, as REST serves them and commands print them. */
import { create, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import type { Finding } from "../engine/contract/finding.ts";
import { type AuditRecord, AuditRecordSchema } from "../gen/proto/svc/v1/audit_pb.ts";
import {
  type Comparison,
  ComparisonSchema,
  type Trend,
  TrendSchema,
} from "../gen/proto/svc/v1/comparison_pb.ts";
import {
  type Clip,
  ClipSchema,
  type Job,
  JobSchema,
  JobSpecSchema,
  type Still,
  StillSchema,
  type StreamJobsResponse,
  StreamJobsResponseSchema,
} from "../gen/proto/svc/v1/job_pb.ts";
import { type MediaEntry, MediaEntrySchema } from "../gen/proto/svc/v1/media_pb.ts";
import { type Node, NodeSchema } from "../gen/proto/svc/v1/node_pb.ts";
import {
  type Diagnosis,
  DiagnosisSchema,
  FindingSchema,
  type ScoreResult,
  ScoreResultSchema,
} from "../gen/proto/svc/v1/scoring_pb.ts";
import {
  type Revocation,
  RevocationSchema,
  type Tenant,
  TenantSchema,
} from "../gen/proto/svc/v1/tenant_pb.ts";
import {
  type SignedPart,
  SignedPartSchema,
  type Upload,
  UploadSchema,
} from "../gen/proto/svc/v1/upload_pb.ts";
import type { components } from "../gen/rest/controller.ts";
import { isObject } from "../platform/json.ts";
import { findingMessage } from "./findings.ts";

type ComparisonAnswer = components["schemas"]["Comparison"];
type TrendAnswer = components["schemas"]["Trend"];

const FULL = { alwaysEmitImplicit: true } as const;

/** Returns a result without `frames`, which are sent separately: an empty list would mean "no frames". */
export function resultJson(result: ScoreResult): JsonObject {
  const { frames: _, ...json } = objectOf(toJson(ScoreResultSchema, result, FULL));
  return json;
}

export function findingJson(finding: Finding): JsonObject {
  return objectOf(toJson(FindingSchema, create(FindingSchema, findingMessage(finding)), FULL));
}

export function diagnosisJson(diagnosis: Diagnosis): JsonObject {
  return objectOf(toJson(DiagnosisSchema, diagnosis, FULL));
}

/** Returns a job with its spec as submitted, and `work` only if the message has any. */
export function jobJson(job: Job): JsonObject {
  const { work, ...json } = objectOf(toJson(JobSchema, job, FULL));
  return {
    ...json,
    ...(job.spec && { spec: toJson(JobSpecSchema, job.spec) }),
    ...(job.result && { result: resultJson(job.result) }),
    ...(work !== undefined && job.work.length > 0 && { work }),
  };
}

/** Returns a comparison with its settings as submitted, and lists only if the message has cells. */
export function comparisonJson(comparison: Comparison): JsonObject & ComparisonAnswer {
  const { cells, metrics, ladders, deltas, ...json } = objectOf(toJson(ComparisonSchema, comparison, FULL));
  return {
    ...json,
    ...(comparison.settings && { settings: toJson(JobSpecSchema, comparison.settings) }),
    ...(comparison.cells.length > 0 && ({ cells, metrics, ladders, deltas } as JsonObject)),
  } as JsonObject & ComparisonAnswer;
}

/** An event of a stream of jobs. */
export function jobEventJson(event: StreamJobsResponse): JsonObject {
  const json = objectOf(toJson(StreamJobsResponseSchema, event, FULL));
  return { ...json, ...(event.job && { job: jobJson(event.job) }) };
}

export function clipJson(clip: Clip): JsonObject {
  return objectOf(toJson(ClipSchema, clip, FULL));
}

export function stillJson(still: Still): JsonObject {
  return objectOf(toJson(StillSchema, still, FULL));
}

export function nodeJson(node: Node): JsonObject {
  return objectOf(toJson(NodeSchema, node, FULL));
}

export function trendJson(trend: Trend): JsonObject & TrendAnswer {
  return objectOf(toJson(TrendSchema, trend, FULL)) as JsonObject & TrendAnswer;
}

export function tenantJson(tenant: Tenant): JsonObject {
  return objectOf(toJson(TenantSchema, tenant, FULL));
}

export function revocationJson(revocation: Revocation): JsonObject {
  return objectOf(toJson(RevocationSchema, revocation, FULL));
}

export function uploadJson(upload: Upload): JsonObject {
  return objectOf(toJson(UploadSchema, upload, FULL));
}

export function signedPartJson(part: SignedPart): JsonObject {
  return objectOf(toJson(SignedPartSchema, part, FULL));
}

export function mediaJson(entry: MediaEntry): JsonObject {
  return objectOf(toJson(MediaEntrySchema, entry, FULL));
}

export function auditJson(record: AuditRecord): JsonObject {
  return objectOf(toJson(AuditRecordSchema, record, FULL));
}

/** The JSON of these messages is always an object. */
function objectOf(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  throw new TypeError("the JSON of this message is not an object");
}
