/** Scored values as a node reports them: looked at by their head, then whether they count at all, and only then themselves. */
import { checkRows, checkRowsElsewhere, claimOf } from "../engine/frame-code.ts";
import type { FramePiece, SegmentReport } from "../gen/proto/svc/v1/node_pb.ts";
import { invalid } from "../platform/failure.ts";
import type { Store } from "../store/store.ts";
import type { Fence, Recorded, SegmentRecord } from "../store/work-records.ts";
import type { Lanes } from "./lanes.ts";
import { checkRevisedPlan } from "./plan-report.ts";

const MAX_PIECE_BYTES = 900 * 1024;
/** Far more than the longest film has. */
const MAX_PIECES = 1024;
/** Bytes, inflated: ten seconds of a film have half of it, and to look at them costs less than to ask for their lease. */
const MOST_AT_ONCE = 64 * 1024;

export interface ValuesOptions {
  readonly store: Store;
  readonly lanes: Lanes;
}

/**
 * What a piece comes to that would not count; undefined: it may, and it is what it says. Only of work that is leased
 * are more than a few values inflated: anybody who has a node could else keep a controller busy with a few bytes.
 */
export async function refusalOfPiece(
  { store, lanes }: ValuesOptions,
  fence: Fence,
  tenant: string,
  field: string,
  { number, rows, rowCount }: FramePiece,
): Promise<Recorded | undefined> {
  if (number >= MAX_PIECES) throw invalid(`${field}.number is ${number}. Use 0 to ${MAX_PIECES - 1}.`);
  if (rows.length > MAX_PIECE_BYTES) throw invalid(`${field}.rows are over ${MAX_PIECE_BYTES} bytes.`);
  const claim = claimOf(rows);
  if (claim.rows !== rowCount)
    throw invalid(`${field}.rowCount is ${rowCount}, and its rows are ${claim.rows}.`);
  if (claim.bytes <= MOST_AT_ONCE) {
    checkRows(rows);
    return undefined;
  }
  const refusal = await store.refusalOfValues(fence);
  if (refusal === undefined) await lanes.run(tenant, () => checkRowsElsewhere(rows));
  return refusal;
}

/** What a segment's report says beside its values. Throws INVALID_REQUEST. */
export function checkSegment({
  last,
  durationMs,
  plan,
  frameCount,
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
  };
}
