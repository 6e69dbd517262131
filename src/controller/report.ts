/** What a node reports of its work: checked, fenced and recorded. */
import type {
  FailureReport,
  FramePiece,
  ReportResultRequest,
  SegmentReport,
  StillReport,
} from "../gen/proto/svc/v1/node_pb.ts";
import { isId } from "../jobs/ids.ts";
import { verdictOn } from "../jobs/retry.ts";
import { FAILURE_KINDS, Failure, type FailureCode, invalid, isFailureCode } from "../platform/failure.ts";
import { isObject, JsonFault, parseStrictly } from "../platform/json.ts";
import { currentSpan } from "../platform/span.ts";
import type { StoredError } from "../store/job-records.ts";
import type { Store } from "../store/store.ts";
import type { Fence, PlanRecord, Poolable, Ready, Recorded } from "../store/work-records.ts";
import { checkAttempt } from "./attempt.ts";
import type { Lanes } from "./lanes.ts";
import type { ControllerMetrics } from "./metrics.ts";
import { planRecord } from "./plan-report.ts";
import type { Puller } from "./schedule.ts";
import { checkPicture } from "./still-image.ts";
import { sideOf } from "./stills.ts";
import { checkSegment, refusalOfPiece } from "./values-report.ts";

const MAX_MESSAGE = 2_000;
const MAX_FOUND = 16 * 1024;
const MAX_FOUND_LEVELS = 16;

export interface ReportOptions {
  readonly store: Store;
  readonly metrics: ControllerMetrics;
  /** Every segment of a job is scored. */
  readonly pool: (job: Poolable) => void;
  /** Work of a tenant that ran has ended. */
  readonly freed: (tenants: readonly string[]) => void;
}

export interface Reporting extends ReportOptions {
  /** In which values are inflated, of each tenant a few at a time. */
  readonly lanes: Lanes;
}

/** Records a report. Throws INVALID_REQUEST, STALE_ATTEMPT. The same report again changes nothing. */
export async function recordReport(
  options: Reporting,
  request: ReportResultRequest,
  puller: Puller,
): Promise<void> {
  const { session, itemId, attempt, report } = request;
  if (!isId(itemId)) throw invalid("itemId is not the id of a piece of work.");
  checkAttempt("attempt", attempt);
  if (report.case === undefined) throw invalid("The report is missing.");
  const recorded = await record(options, { session, itemId, attempt }, report, puller);
  options.metrics.reported(report.case, recorded);
  // Only who holds the lease can have it recorded, and once: nobody fills the collector with that.
  if (recorded === "RECORDED") currentSpan()?.prove();
  if (recorded === "STALE") throw stale();
}

/** What a node is told that reports work which is not its own any more. */
export function stale(): Failure {
  return new Failure("STALE_ATTEMPT", "The work is not leased to this session with that attempt. Drop it.");
}

async function record(
  options: Reporting,
  fence: Fence,
  report: Exclude<ReportResultRequest["report"], { case: undefined }>,
  puller: Puller,
): Promise<Recorded> {
  const { store } = options;
  if (report.case === "piece") return recordPiece(options, fence, report.value, puller);
  if (report.case === "plan")
    return recordPlan(options, fence, planRecord(report.value, puller.capabilities));
  if (report.case === "segment") return recordSegment(options, fence, report.value, puller);
  if (report.case === "failure") return recordFailure(options, fence, report.value);
  if (report.case === "still") return recordStill(options, fence, report.value);
  const { recorded, ready } = await store.handBack(fence);
  changed(options, { tenant: ready?.tenant, ready });
  return recorded;
}

async function recordPlan(options: ReportOptions, fence: Fence, plan: PlanRecord): Promise<Recorded> {
  const { recorded, tenant } = await options.store.recordPlan(fence, plan);
  const ready = tenant === undefined ? undefined : { tenant, workClass: plan.workClass };
  changed(options, { tenant, ready });
  return recorded;
}

async function recordPiece(
  options: Reporting,
  fence: Fence,
  piece: FramePiece,
  { tenant }: Puller,
): Promise<Recorded> {
  const refusal = await refusalOfPiece(options, fence, tenant, "piece", piece);
  return refusal ?? options.store.recordPiece(fence, piece);
}

async function recordSegment(
  options: Reporting,
  fence: Fence,
  report: SegmentReport,
  puller: Puller,
): Promise<Recorded> {
  const segment = checkSegment(report);
  const refusal = await refusalOfPiece(options, fence, puller.tenant, "segment.last", segment.last);
  if (refusal !== undefined) return refusal;
  const { recorded, poolable, tenant } = await options.store.recordSegment(fence, segment);
  changed(options, { tenant });
  if (poolable !== undefined) options.pool(poolable);
  return recorded;
}

async function recordStill(
  options: ReportOptions,
  fence: Fence,
  { frame, side: told, last, ...picture }: StillReport,
): Promise<Recorded> {
  const side = sideOf(told);
  if (side === undefined) throw invalid("still.side is missing. Use REFERENCE or DISTORTED.");
  checkPicture(picture);
  const { mediaType, width, height, image } = picture;
  const still = { frame, side, mediaType, width, height, image };
  const { recorded, tenant } = await options.store.recordStill(fence, still, last);
  if (last) changed(options, { tenant });
  return recorded;
}

async function recordFailure(options: ReportOptions, fence: Fence, report: FailureReport): Promise<Recorded> {
  const { store, metrics } = options;
  if (report.cutFault) {
    const { recorded, ready, nodes } = await store.recordCutFault(fence);
    // Of work that is no segment there is nothing to cut otherwise: the fault is one as any other.
    if (recorded !== "STALE") {
      changed(options, { tenant: ready?.tenant, ready, nodes });
      return recorded;
    }
  }
  const error = errorOf(report);
  const kind = FAILURE_KINDS[error.code];
  const atFault = kind === "media" || kind === "invalid" || kind === "forbidden";
  const { recorded, nodes, tenant, jobFailed } = await store.recordFailure(fence, error, (failures) =>
    verdictOn(failures, atFault),
  );
  changed(options, { tenant, nodes });
  if (jobFailed) metrics.jobFailed(error.code);
  return recorded;
}

interface Change {
  /** Whose work ended that ran. */
  readonly tenant: string | undefined;
  readonly ready?: Ready | undefined;
  /** Those that have news to be told. */
  readonly nodes?: readonly string[];
}

/** Tells of what a report changed: of the job always. */
function changed({ store, freed }: ReportOptions, { tenant, ready, nodes = [] }: Change): void {
  store.announce({ kind: "events" });
  if (ready) store.announce({ kind: "work", ready: [ready] });
  if (nodes.length > 0) store.announce({ kind: "news", nodeIds: nodes });
  if (tenant !== undefined) freed([tenant]);
}

/** Codes of a newer version are INTERNAL here, told with the message. */
function errorOf({ code, message, found }: FailureReport): StoredError & { readonly code: FailureCode } {
  const known = isFailureCode(code) ? code : "INTERNAL";
  const text = message
    .toWellFormed()
    .replace(/\p{Cc}/gu, " ")
    .slice(0, MAX_MESSAGE)
    .toWellFormed();
  const facts = factsOf(found);
  return { code: known, message: text || "The node told no reason.", ...(facts && { found: facts }) };
}

/** Facts that are no JSON object that the store can hold, or too many, are left out: the failure counts all the same. */
function factsOf(found: string): Readonly<Record<string, unknown>> | undefined {
  if (found === "" || found.length > MAX_FOUND) return undefined;
  try {
    const facts = parseStrictly(found, MAX_FOUND_LEVELS);
    return isObject(facts) && isTellable(facts) ? facts : undefined;
  } catch (thrown) {
    if (thrown instanceof JsonFault) return undefined;
    throw thrown;
  }
}

/** Whether every text in it is one that PostgreSQL holds: it knows no NUL and no half of a surrogate pair. */
function isTellable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isTellable(name) && isTellable(member));
}
