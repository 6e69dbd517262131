/** The spec of a job: checked once at submission, then stored as text. */
import { hash, randomInt } from "node:crypto";
import {
  create,
  fromJsonString,
  isFieldSet,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { refuseSample, type SampleRequest } from "../../engine/contract/estimate.ts";
import type { Side } from "../../engine/contract/request.ts";
import { MAX_SEED } from "../../engine/estimate/sampling-plan.ts";
import { type JobSpec, JobSpecSchema, type MediaVersion } from "../../gen/proto/svc/v1/job_pb.ts";
import {
  FindingsPolicySchema,
  type ScoreRequest,
  ScoreRequestSchema,
} from "../../gen/proto/svc/v1/scoring_pb.ts";
import type { FindingsPolicy } from "../../jobs/findings-policy.ts";
import { MAX_JOB_NAME, MAX_PRIORITY } from "../../jobs/request-limits.ts";
import type { PlanNeed } from "../../jobs/work.ts";
import { findingsPolicyMessage } from "../../messages/findings.ts";
import { OBJECTS, pairRequestOf } from "../../messages/request.ts";
import { invalid } from "../../platform/failure.ts";
import type { Labels } from "../../store/contract/job-records.ts";
import { checkLabels } from "./filter.ts";
import { checkGates } from "./gates.ts";

export interface CheckedSpec {
  /** As requested, with the tenant's defaults for members that the request omits, and with the seed of an estimate. */
  readonly spec: JobSpec;
  /** Requirements on the node that plans the job; undefined: the pair is only diagnosed. */
  readonly need: PlanNeed | undefined;
  /** Canonical proto JSON with sorted members: equal for equal specs. */
  readonly text: string;
  /**
   * SHA-256 in hex of the spec as requested, without defaults and random seed, so that a retry with other ones is not a
   * new request.
   */
  readonly fingerprint: string;
}

/** Members that contradict `diagnoseOnly`. Models and policies on scores do not: they are ignored. */
const ONLY_SCORING = [
  ...["features", "subsample", "estimate", "offset", "start", "duration", "runs"],
  ...["crop", "mirror", "rangeOf", "matrixOf", "findings", "fix", "gates"],
] as (keyof typeof JobSpecSchema.field)[];

/**
 * Checks the spec of a job. `defaultModels`, `findings`: the defaults of its tenant; if empty or undefined, those of
 * the API apply. Throws INVALID_REQUEST, UNKNOWN_FEATURE.
 */
export function checkSpec(
  given: JobSpec | undefined,
  defaultModels: readonly string[],
  findings?: FindingsPolicy,
): CheckedSpec {
  if (given === undefined) throw invalid("The job is missing. Give at least reference and distorted.");
  if (given.diagnoseOnly) refuseScoring(given);
  const spec = given.diagnoseOnly
    ? given
    : withSeed(withFindings(withModels(given, defaultModels), findings));
  const request = pairRequestOf(spec, OBJECTS);
  const { models, scorerVersion } = request;
  const sample = sampleOf(spec);
  if (sample !== undefined) refuseSample(sample, request);
  checkGates(spec, request);
  checkText("name", spec.name, MAX_JOB_NAME);
  checkLabels("labels", spec.labels);
  if (!(Math.abs(spec.priority) <= MAX_PRIORITY)) {
    throw invalid(
      `priority is ${spec.priority}. Use a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}.`,
    );
  }
  const requested = textOf(toJson(JobSpecSchema, given));
  const text = spec === given ? requested : textOf(toJson(JobSpecSchema, spec));
  const need = spec.diagnoseOnly ? undefined : { models, scorerVersion };
  return { spec, need, text, fingerprint: fingerprintOf(requested) };
}

/** Refuses members that say what to compare or to measure, which a diagnosis would ignore. Throws INVALID_REQUEST. */
function refuseScoring(spec: JobSpec): void {
  const name = ONLY_SCORING.find((member) => isFieldSet(spec, JobSpecSchema.field[member]));
  if (name !== undefined)
    throw invalid(`${name} has no effect on a diagnosis: leave it out, or diagnoseOnly.`);
}

/** Returns the spec with the default models if it names none. */
function withModels(spec: JobSpec, defaultModels: readonly string[]): JobSpec {
  if (spec.model !== "" || spec.models.length > 0 || defaultModels.length === 0) return spec;
  return { ...spec, models: [...defaultModels] };
}

/** Returns the spec with the default policy on findings if it names none. */
function withFindings(spec: JobSpec, findings: FindingsPolicy | undefined): JobSpec {
  if (spec.findings !== undefined || findings === undefined) return spec;
  return { ...spec, findings: create(FindingsPolicySchema, findingsPolicyMessage(findings)) };
}

/** Returns the spec with a random seed if its estimate has none. */
function withSeed(spec: JobSpec): JobSpec {
  const { estimate } = spec;
  if (estimate === undefined || estimate.seed !== undefined) return spec;
  return { ...spec, estimate: { ...estimate, seed: randomInt(MAX_SEED + 1) } };
}

/** Returns the sample that a job requests; undefined: all frames. */
export function sampleOf({ estimate }: JobSpec): SampleRequest | undefined {
  return estimate && { tolerance: estimate.tolerance, seed: estimate.seed ?? 0 };
}

/** Returns the spec with the versions of its objects, and its text. */
export function withVersions(
  { spec }: Pick<CheckedSpec, "spec">,
  { reference, distorted }: Readonly<Partial<Record<Side, MediaVersion | undefined>>>,
): Pick<CheckedSpec, "spec" | "text"> {
  const versioned = {
    ...spec,
    ...(reference && { referenceVersion: reference }),
    ...(distorted && { distortedVersion: distorted }),
  };
  return { spec: versioned, text: textOf(toJson(JobSpecSchema, versioned)) };
}

/** Returns the stored spec and its fingerprint for a job that scores all frames. */
export function withoutEstimate(spec: JobSpec): Pick<CheckedSpec, "spec" | "text" | "fingerprint"> {
  const { estimate: _, ...rest } = spec;
  const text = textOf(toJson(JobSpecSchema, rest));
  return { spec: rest, text, fingerprint: fingerprintOf(text) };
}

function fingerprintOf(text: string): string {
  return hash("sha256", text, "hex");
}

/** Parses a stored spec. A newer version may have stored more members. */
export function readSpec(text: string): JobSpec {
  return fromJsonString(JobSpecSchema, text, { ignoreUnknownFields: true });
}

/** Members of a spec that do not affect its scores: those for people, for the queue, and for verdicts on the scores. */
const NOT_SCORED: ReadonlySet<string> = new Set(["name", "labels", "priority", "noCache", "gates"]);

/** Returns the members of a stored spec that affect its scores, as text. Equal for equal requests. */
export function scoredText(text: string): string {
  const members = Object.entries(JSON.parse(text) as JsonObject).filter(([name]) => !NOT_SCORED.has(name));
  return textOf(Object.fromEntries(members));
}

/** Returns the text of a stored spec with other labels; all other members are kept. */
export function withLabels(text: string, labels: Labels): string {
  const { labels: _, ...spec } = JSON.parse(text) as JsonObject;
  return textOf(Object.keys(labels).length > 0 ? { ...spec, labels: { ...labels } } : spec);
}

/** Returns proto JSON with sorted members as text, which is equal for equal messages. */
export function textOf(spec: JsonValue): string {
  return JSON.stringify(sorted(spec));
}

/** Returns the request that a node scores. Per-frame scores are always kept, so the request does not ask for them. */
export function scoreRequestOf(spec: JobSpec): ScoreRequest {
  return create(ScoreRequestSchema, {
    reference: spec.reference,
    distorted: spec.distorted,
    model: spec.model,
    models: spec.models,
    features: spec.features,
    ...(spec.rawVideo && { rawVideo: spec.rawVideo }),
    scaling: spec.scaling,
    onFrameCountMismatch: spec.onFrameCountMismatch,
    onFrameRateMismatch: spec.onFrameRateMismatch,
    editLists: spec.editLists,
    subsample: spec.subsample,
    ...(spec.encode && { encode: spec.encode }),
    scorerVersion: spec.scorerVersion,
    ...(spec.offset !== undefined && { offset: spec.offset }),
    start: spec.start,
    duration: spec.duration,
    runs: spec.runs,
    ...(spec.crop && { crop: spec.crop }),
    ...(spec.mirror && { mirror: spec.mirror }),
    ...(spec.rangeOf && { rangeOf: spec.rangeOf }),
    ...(spec.matrixOf && { matrixOf: spec.matrixOf }),
    ...(spec.findings && { findings: spec.findings }),
    fix: spec.fix,
  });
}

/** Checks a text that is shown to people. Throws INVALID_REQUEST. */
export function checkText(field: string, text: string, most: number): void {
  if (Array.from(text).length > most) throw invalid(`${field} is longer than ${most} characters.`);
  if (!text.isWellFormed() || /\p{Cc}/u.test(text)) throw invalid(`${field} contains a control character.`);
}

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** Returns the key of a request; undefined: none. Throws INVALID_REQUEST. */
export function idempotencyKeyOf(key: string): string | undefined {
  if (key === "") return undefined;
  if (IDEMPOTENCY_KEY.test(key)) return key;
  throw invalid("The idempotency key is not 1 to 255 printable ASCII characters.");
}

/** Returns the same value with the members of every object sorted by name. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}
