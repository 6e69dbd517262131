/**
 * Checks per-frame scores that a node reports: first their header, then the lease of the task, and only then the
 * scores.
 */
import { checkRows, checkRowsElsewhere, claimOf } from "../../engine/frames/codec.ts";
import type { FramePiece, SegmentReport } from "../../gen/proto/svc/v1/node_pb.ts";
import type { KeyedSemaphore } from "../../platform/concurrency/keyed-semaphore.ts";
import { invalid } from "../../platform/failure.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Fence, Recorded, SegmentRecord } from "../../store/contract/task-records.ts";
import { findingsText } from "./findings.ts";
import { checkRevisedPlan } from "./plan-report.ts";
import { digestOf } from "./reuse.ts";
import { shotsText } from "./shots.ts";

const MAX_CHUNK_BYTES = 900 * 1024;
/** Most chunks of a report, far more than the longest film needs. */
const MAX_CHUNKS = 1024;
/**
 * Bytes of inflated scores that are checked without reading the lease first. Ten seconds of a film have half of that,
 * and checking them costs less than reading their lease.
 */
const MAX_AT_ONCE = 64 * 1024;

export interface ValuesOptions {
  readonly store: Store;
  readonly semaphore: KeyedSemaphore;
}

/**
 * Returns the outcome of a chunk that would not be recorded; undefined if it is valid and may be recorded. More than a
 * few scores are inflated only for a leased task: otherwise anyone with a node could keep a controller busy with a few
 * bytes.
 */
export async function refusalOfChunk(
  { store, semaphore }: ValuesOptions,
  fence: Fence,
  tenant: string,
  field: string,
  { number, rows, rowCount }: FramePiece,
): Promise<Recorded | undefined> {
  if (number >= MAX_CHUNKS) throw invalid(`${field}.number is ${number}. Use 0 to ${MAX_CHUNKS - 1}.`);
  if (rows.length > MAX_CHUNK_BYTES) throw invalid(`${field}.rows are over ${MAX_CHUNK_BYTES} bytes.`);
  const claim = claimOf(rows);
  if (claim.rows !== rowCount)
    throw invalid(`${field}.rowCount is ${rowCount}, but it has ${claim.rows} rows.`);
  if (claim.bytes <= MAX_AT_ONCE) {
    checkRows(rows);
    return undefined;
  }
  const refusal = await store.checkScoringLease(fence);
  if (refusal === undefined) await semaphore.run(tenant, () => checkRowsElsewhere(rows));
  return refusal;
}

/** Checks a segment report except its per-frame scores. Throws INVALID_REQUEST. */
export function checkSegment({
  last,
  durationMs,
  plan,
  frameCount,
  findings,
  shots,
  scoredBy,
}: SegmentReport): Omit<SegmentRecord, "last"> & { readonly last: FramePiece } {
  if (last === undefined) throw invalid("segment.last is missing.");
  if (!(durationMs >= 0 && Number.isFinite(durationMs)))
    throw invalid(`segment.durationMs is ${durationMs}.`);
  if ((plan === "") !== (frameCount === 0))
    throw invalid("segment.plan and segment.frameCount belong together.");
  if (plan !== "") checkRevisedPlan(plan, frameCount);
  return {
    last,
    plan: plan === "" ? undefined : plan,
    framesTotal: plan === "" ? undefined : frameCount,
    findings: findingsText(findings),
    shots: shots && shotsText(shots),
    scoredBy: digestOf("segment.scoredBy", scoredBy),
  };
}
