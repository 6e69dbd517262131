/** Checks, fences and records the reports of nodes. */
import type {
  FailureReport,
  FramePiece,
  PlanReport,
  ReportResultRequest,
  SegmentReport,
  StillReport,
  TitleReport,
} from "../../gen/proto/svc/v1/node_pb.ts";
import type { Diagnosis } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { isId } from "../../jobs/ids.ts";
import { decideRetry } from "../../jobs/retry.ts";
import type { KeyedSemaphore } from "../../platform/concurrency/keyed-semaphore.ts";
import { FAILURE_KINDS, Failure, type FailureCode, invalid, isFailureCode } from "../../platform/failure.ts";
import { isObject, JsonFault, parseStrictly } from "../../platform/json.ts";
import { currentSpan } from "../../platform/observability/span.ts";
import type { StoredError } from "../../store/contract/job-records.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Fence, Poolable, Recorded } from "../../store/contract/task-records.ts";
import { checkAttempt } from "../requests/attempt.ts";
import { readSpec, sampleOf } from "../requests/job-spec.ts";
import type { Puller } from "../scheduling/schedule.ts";
import { checkStillImage } from "../stills/image.ts";
import { sideOf } from "../stills/stills.ts";
import type { ControllerMetrics } from "../telemetry/metrics.ts";
import { clipRecord } from "./clip-report.ts";
import { diagnosisRecord } from "./diagnosis.ts";
import { planRecord } from "./plan-report.ts";
import { planReuse } from "./reuse.ts";
import { checkSegment, refusalOfChunk } from "./scores-report.ts";
import { titleRecord } from "./title-report.ts";

const MAX_MESSAGE = 2_000;
const MAX_FOUND = 16 * 1024;
const MAX_FOUND_LEVELS = 16;

export interface ReportOptions {
  readonly store: Store;
  readonly metrics: ControllerMetrics;
  /** Approximate duration of a segment. */
  readonly segmentSeconds: number;
  /** Called when every segment of a job is scored. */
  readonly pool: (job: Poolable) => void;
  /** Admits the jobs that a title adds, as jobs/submit-limits.ts does. Throws Failure. */
  readonly limits: {
    admit(
      tenant: string,
      jobs: number,
    ): Promise<{ stored(created: number): void; failed(failure: Failure): void }>;
  };
}

export interface Reporting extends ReportOptions {
  /** Limits how many frame chunks of each tenant are inflated at a time. */
  readonly semaphore: KeyedSemaphore;
}

/** Records a report. Throws INVALID_REQUEST, STALE_ATTEMPT. Repeating a report changes nothing. */
export async function recordReport(
  options: Reporting,
  request: ReportResultRequest,
  puller: Puller,
): Promise<void> {
  const { session, itemId, attempt, report } = request;
  if (!isId(itemId)) throw invalid("itemId is not a task id.");
  checkAttempt("attempt", attempt);
  if (report.case === undefined) throw invalid("The report is missing.");
  const recorded = await record(options, { session, itemId, attempt }, report, puller);
  options.metrics.reported(report.case, recorded);
  // Only the lease holder can have a report recorded, and only once, so nobody can flood the trace collector with it.
  if (recorded === "RECORDED") currentSpan()?.prove();
  if (recorded === "STALE") throw stale();
}

/** The error for a report of a task that the node no longer holds. */
export function stale(): Failure {
  return new Failure("STALE_ATTEMPT", "The task is not leased to this session with that attempt. Drop it.");
}

async function record(
  options: Reporting,
  fence: Fence,
  report: Exclude<ReportResultRequest["report"], { case: undefined }>,
  puller: Puller,
): Promise<Recorded> {
  const { store } = options;
  if (report.case === "piece") return recordPiece(options, fence, report.value, puller);
  if (report.case === "plan") return recordPlan(options, fence, report.value, puller);
  if (report.case === "title") return recordTitle(options, fence, report.value);
  if (report.case === "diagnosis") return recordDiagnosis(options, fence, report.value);
  if (report.case === "segment") return recordSegment(options, fence, report.value, puller);
  if (report.case === "failure") return recordFailure(options, fence, report.value);
  if (report.case === "still") return recordStill(options, fence, report.value);
  if (report.case === "clip") {
    const { clip, piece } = clipRecord(report.value);
    return (await store.recordClip(fence, clip, piece)).recorded;
  }
  return (await store.handBack(fence)).recorded;
}

async function recordPlan(
  { store, segmentSeconds, metrics, pool }: Reporting,
  fence: Fence,
  report: PlanReport,
  { capabilities }: Puller,
): Promise<Recorded> {
  const leased = await store.leasedSpec(fence);
  const text = leased?.kind === "PLAN" ? leased.spec : undefined;
  const spec = text === undefined ? undefined : readSpec(text);
  const request = spec && sampleOf(spec);
  const sampling = request && { request, segmentSeconds };
  const plan = planRecord(report, capabilities, { sampling, spec });
  const reuse = text === undefined ? undefined : planReuse(report, text);
  const { recorded, poolable, reused } = await store.recordPlan(fence, { ...plan, reuse });
  metrics.segmentsReused.inc(reused);
  if (poolable !== undefined) pool(poolable);
  return recorded;
}

/**
 * Records the renditions of a title. A title that cannot be expanded fails like a task, so that it is retried after the
 * tenant's queue was full.
 */
async function recordTitle(options: Reporting, fence: Fence, report: TitleReport): Promise<Recorded> {
  const { store, limits, metrics } = options;
  const leased = await store.leasedSpec(fence);
  const title = leased && titleRecord(report, leased.spec);
  if (leased === undefined || title === undefined) return "STALE";
  try {
    const admission = await limits.admit(leased.tenant, title.jobs.length - 1);
    try {
      const { recorded, added } = await store.recordTitle(fence, title);
      admission.stored(added);
      metrics.submitted.inc(added);
      return recorded;
    } catch (thrown) {
      admission.failed(Failure.from(thrown));
      throw thrown;
    }
  } catch (thrown) {
    const { code, message, kind } = Failure.from(thrown);
    if (kind !== "invalid" && kind !== "limit") throw thrown;
    return recordFailure(options, fence, { code, message, found: "", cutFault: false });
  }
}

async function recordDiagnosis(
  { store, metrics }: ReportOptions,
  fence: Fence,
  report: Diagnosis,
): Promise<Recorded> {
  const { recorded, durationMs } = await store.recordDiagnosis(fence, diagnosisRecord(report));
  if (durationMs !== undefined) metrics.jobDiagnosed(durationMs);
  return recorded;
}

async function recordPiece(
  options: Reporting,
  fence: Fence,
  chunk: FramePiece,
  { tenant }: Puller,
): Promise<Recorded> {
  const refusal = await refusalOfChunk(options, fence, tenant, "piece", chunk);
  return refusal ?? options.store.recordChunk(fence, chunk);
}

async function recordSegment(
  options: Reporting,
  fence: Fence,
  report: SegmentReport,
  puller: Puller,
): Promise<Recorded> {
  const segment = checkSegment(report);
  const refusal = await refusalOfChunk(options, fence, puller.tenant, "segment.last", segment.last);
  if (refusal !== undefined) return refusal;
  const { recorded, poolable } = await options.store.recordSegment(fence, segment);
  if (poolable !== undefined) options.pool(poolable);
  return recorded;
}

async function recordStill(
  options: ReportOptions,
  fence: Fence,
  { frame, side: reportedSide, last, ...still }: StillReport,
): Promise<Recorded> {
  const side = sideOf(reportedSide);
  if (side === undefined) throw invalid("still.side is missing. Use REFERENCE or DISTORTED.");
  checkStillImage(still);
  const { mediaType, width, height, image } = still;
  const stored = { frame, side, mediaType, width, height, image };
  return (await options.store.recordStill(fence, stored, last)).recorded;
}

export async function recordFailure(
  options: ReportOptions,
  fence: Fence,
  report: Pick<FailureReport, "code" | "message" | "found" | "cutFault">,
): Promise<Recorded> {
  const { store, metrics } = options;
  if (report.cutFault) {
    const { recorded } = await store.recordSegmentMismatch(fence);
    // Only segments can be divided differently. For another task, the fault counts like any other.
    if (recorded !== "STALE") return recorded;
  }
  const error = errorOf(report);
  const kind = FAILURE_KINDS[error.code];
  const atFault = kind === "media" || kind === "invalid" || kind === "forbidden";
  const { recorded, jobFailed } = await store.recordFailure(fence, error, (failures) =>
    decideRetry(failures, atFault),
  );
  if (jobFailed) metrics.jobFailed(error.code);
  return recorded;
}

/** A code of a newer version becomes INTERNAL; its message is kept. */
function errorOf({
  code,
  message,
  found,
}: Pick<FailureReport, "code" | "message" | "found">): StoredError & { readonly code: FailureCode } {
  const known = isFailureCode(code) ? code : "INTERNAL";
  const text = message
    .toWellFormed()
    .replace(/\p{Cc}/gu, " ")
    .slice(0, MAX_MESSAGE)
    .toWellFormed();
  const facts = factsOf(found);
  return { code: known, message: text || "The node reported no reason.", ...(facts && { found: facts }) };
}

/** Drops facts that are too large or not a JSON object that the store can hold; the failure still counts. */
function factsOf(found: string): Readonly<Record<string, unknown>> | undefined {
  if (found === "" || found.length > MAX_FOUND) return undefined;
  try {
    const facts = parseStrictly(found, MAX_FOUND_LEVELS);
    return isObject(facts) && isStorable(facts) ? facts : undefined;
  } catch (thrown) {
    if (thrown instanceof JsonFault) return undefined;
    throw thrown;
  }
}

/** Whether PostgreSQL can store every text in the value: it allows neither NUL nor unpaired surrogates. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}
