/** What a node reports of its work: checked, fenced and recorded. */
import { countRows } from "../engine/frame-code.ts";
import type {
  FailureReport,
  FramePiece,
  ReportResultRequest,
  SegmentReport,
  StillReport,
} from "../gen/proto/svc/v1/node_pb.ts";
import { verdictOn } from "../jobs/retry.ts";
import { FAILURE_KINDS, Failure, type FailureCode, invalid, isFailureCode } from "../platform/failure.ts";
import { isObject } from "../platform/json.ts";
import { currentSpan } from "../platform/span.ts";
import type { StoredError } from "../store/job-records.ts";
import type { Store } from "../store/store.ts";
import type { Fence, PlanRecord, Poolable, Ready, Recorded, SegmentRecord } from "../store/work-records.ts";
import { isId } from "./calls.ts";
import type { ControllerMetrics } from "./metrics.ts";
import { checkRevisedPlan, planRecord } from "./plan-report.ts";
import type { Puller } from "./schedule.ts";
import { checkPicture } from "./still-image.ts";
import { sideOf } from "./stills.ts";

const MAX_PIECE_BYTES = 900 * 1024;
/** Far more than the longest film has. */
const MAX_PIECES = 1024;
const MAX_MESSAGE = 2_000;
const MAX_FOUND = 16 * 1024;

export interface ReportOptions {
  readonly store: Store;
  readonly metrics: ControllerMetrics;
  /** Every segment of a job is scored. */
  readonly pool: (job: Poolable) => void;
  /** Work of a tenant that ran has ended. */
  readonly freed: (tenants: readonly string[]) => void;
}

/** Records a report. Throws INVALID_REQUEST, STALE_ATTEMPT. The same report again changes nothing. */
export async function recordReport(
  options: ReportOptions,
  request: ReportResultRequest,
  puller: Puller,
): Promise<void> {
  const { session, itemId, attempt, report } = request;
  if (!isId(itemId)) throw invalid("itemId is not the id of a piece of work.");
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
  options: ReportOptions,
  fence: Fence,
  report: Exclude<ReportResultRequest["report"], { case: undefined }>,
  puller: Puller,
): Promise<Recorded> {
  const { store } = options;
  if (report.case === "piece") return store.recordPiece(fence, pieceOf("piece", report.value));
  if (report.case === "plan")
    return recordPlan(options, fence, planRecord(report.value, puller.capabilities));
  if (report.case === "segment") return recordSegment(options, fence, segmentOf(report.value));
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

async function recordSegment(
  options: ReportOptions,
  fence: Fence,
  segment: SegmentRecord,
): Promise<Recorded> {
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

function pieceOf(field: string, { number, rows, rowCount }: FramePiece): FramePiece {
  if (number >= MAX_PIECES) throw invalid(`${field}.number is ${number}. Use 0 to ${MAX_PIECES - 1}.`);
  if (rows.length > MAX_PIECE_BYTES) throw invalid(`${field}.rows are over ${MAX_PIECE_BYTES} bytes.`);
  const length = countRows(rows);
  if (length !== rowCount) throw invalid(`${field}.rowCount is ${rowCount}, and its rows are ${length}.`);
  return { number, rows, rowCount } as FramePiece;
}

function segmentOf({ last, durationMs, plan, frameCount }: SegmentReport): SegmentRecord {
  if (last === undefined) throw invalid("segment.last is missing.");
  if (!(durationMs >= 0 && Number.isFinite(durationMs)))
    throw invalid(`segment.durationMs is ${durationMs}.`);
  if ((plan === "") !== (frameCount === 0))
    throw invalid("segment.plan and segment.frameCount belong together.");
  if (plan !== "") checkRevisedPlan(plan, frameCount);
  return {
    last: pieceOf("segment.last", last),
    durationMs,
    plan: plan === "" ? undefined : plan,
    framesTotal: plan === "" ? undefined : frameCount,
  };
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

/** Facts that are no JSON object, or too many, are left out: the failure counts all the same. */
function factsOf(found: string): Readonly<Record<string, unknown>> | undefined {
  if (found === "" || found.length > MAX_FOUND || found.includes("\\u0000")) return undefined;
  try {
    const facts: unknown = JSON.parse(found);
    return isObject(facts) ? facts : undefined;
  } catch {
    return undefined;
  }
}
