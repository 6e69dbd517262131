/** Joins the stored parts of a pair into its result, or reads them frame by frame. A part is a scored segment. */
import { setImmediate as letOthersRun } from "node:timers/promises";
import { Failure } from "../../platform/failure.ts";
import type { Finding } from "../contract/finding.ts";
import type { ScoreResult, Warning } from "../contract/result.ts";
import { SegmentMismatch } from "../contract/segment-mismatch.ts";
import type { SegmentShots } from "../contract/shots.ts";
import type { StoredPart } from "../contract/work.ts";
import { decodeRows } from "../frames/codec.ts";
import type { FrameRow, FrameTable } from "../frames/frame-table.ts";
import { refuseForeign } from "../planning/context.ts";
import { wholeSegment } from "../planning/cut.ts";
import { readPlan, type StoredPlan } from "../planning/plan-json.ts";
import type { Segment } from "../planning/segment.ts";
import { readSegment } from "../planning/segment-json.ts";
import { toResult } from "./assemble.ts";
import { joinFindings } from "./findings.ts";
import { frameOf, isOwn, Joiner } from "./join.ts";
import { spansOf } from "./looked-spans.ts";
import { joinShots, type PlacedShots } from "./shots.ts";

/** Chunks of encoded rows (frames/codec.ts), in memory or read one after the other. */
export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * Limit of the memory for the values of a pair: a day of 13 metrics at 25 frames per second. A controller joins two
 * pairs at a time within 1 GiB, regardless of what nodes report; columns that widen take twice as much.
 */
const MAX_BYTES = 160 * 2 ** 20;
/**
 * Limit of the metrics of one model, including its own features, or of one feature; it is far more than any
 * has.
 */
const METRICS_OF_ONE = 40;

/**
 * Returns the result of a pair whose parts are all scored; it has the same digits as a whole run. `parts` are in frame
 * order; `warnings` are added to those of the plan. A film takes seconds, so it yields to the event loop meanwhile.
 * Throws SegmentMismatch if the parts do not fit together.
 */
export async function joinParts(
  plan: string,
  parts: readonly StoredPart<Chunks>[],
  durationMs: number,
  warnings: readonly Warning[] = [],
): Promise<ScoreResult> {
  const facts = withWarnings(readPlan(plan), warnings);
  const joiner = new Joiner(facts.models, Math.ceil(facts.pairing.frameCount / facts.subsample));
  const shots: PlacedShots[] = [];
  let next = 0;
  for (const part of parts) {
    const segment = segmentOf(part, facts);
    if (segment.first !== next) throw misfit(part, `the part from frame ${next} on is missing`);
    next = segment.first + segment.count;
    await addPart(joiner, part, segment, facts);
    shots.push({ first: segment.first, shots: checkedShots(part, segment) });
  }
  if (next !== facts.pairing.frameCount)
    throw misfit(parts[0], `${next} of ${facts.pairing.frameCount} frames are scored`);
  const finished = {
    ...facts,
    segments: parts.length,
    table: joiner.finish(),
    findings: findingsOfParts(facts, parts),
    shotStarts: joinShots(shots),
  };
  return toResult(finished, facts.scorer, durationMs);
}

/** Returns the findings that were repaired before the pair was planned, and those of its parts. */
export function findingsOfParts(
  { repair }: StoredPlan,
  parts: readonly StoredPart<Chunks>[],
): readonly Finding[] {
  const looked = parts.filter(({ segment, findings = [] }) => {
    if (segment === undefined || findings.length > 0) return true;
    return spansOf(readSegment(segment)).length > 0;
  });
  return joinFindings(
    repair,
    looked.map(({ findings = [] }) => findings),
  );
}

function withWarnings(facts: StoredPlan, warnings: readonly Warning[]): StoredPlan {
  const { pairing } = facts;
  return { ...facts, pairing: { ...pairing, warnings: [...pairing.warnings, ...warnings] } };
}

/** Adds the rows of a part to those joined. Throws SegmentMismatch if they are not those of its segment. */
export async function addPart(
  joiner: Joiner,
  part: StoredPart<Chunks>,
  segment: Segment,
  facts: StoredPlan,
): Promise<void> {
  const expected = Math.ceil((segment.before + segment.count + segment.after) / facts.subsample);
  let rows = 0;
  for await (const chunk of part.chunks) {
    const table = decodeRows(chunk);
    refuseForeignMetrics(part, table, facts);
    if (joiner.bytesWith(table) > MAX_BYTES) throw tooMany(table);
    for (let row = 0; row < table.length; row++, rows++) {
      if (rows === expected || table.frame(row) !== rows * facts.subsample)
        throw misfit(
          part,
          `row ${table.frame(row)} of the part from frame ${segment.first} on was not expected`,
        );
    }
    joiner.add(segment, table);
    await letOthersRun();
  }
  if (rows !== expected)
    throw misfit(part, `the part from frame ${segment.first} on has ${rows} rows instead of ${expected}`);
}

/** Returns the shots that a part shows. Throws SegmentMismatch if it names frames of other parts. */
function checkedShots(part: StoredPart<Chunks>, { first, count }: Segment): SegmentShots | undefined {
  const foreign = part.shots?.starts.find((start) => start < first || start >= first + count);
  if (foreign === undefined) return part.shots;
  throw misfit(part, `in the part from frame ${first} on, a shot begins at frame ${foreign}`);
}

/** Returns the segment of a part. Throws INVALID_REQUEST if no engine produces it. */
export function segmentOf({ segment }: StoredPart<Chunks>, { pairing, subsample }: StoredPlan): Segment {
  if (segment === undefined) return wholeSegment(pairing);
  const read = readSegment(segment);
  refuseForeign(read, subsample);
  return read;
}

function refuseForeignMetrics(
  part: StoredPart<Chunks>,
  { metrics }: FrameTable,
  { models, features }: StoredPlan,
): void {
  const most = METRICS_OF_ONE * (models.length + features.length);
  if (metrics.length > most)
    throw misfit(part, `a part has ${metrics.length} metrics, but the request allows at most ${most}`);
}

/** Returns the failure for a part that does not fit: SegmentMismatch, unless the part is the whole video. */
export function misfit(part: StoredPart<Chunks> | undefined, what: string): Failure {
  const message = `The scored parts do not fit together: ${what}.`;
  return part?.segment === undefined
    ? new Failure("SCORER_FAILED", message)
    : new SegmentMismatch("SCORER_FAILED", message);
}

function tooMany({ metrics }: FrameTable): Failure {
  const detail = `${metrics.length} metrics of this many frames do not fit into memory. Request fewer models.`;
  return new Failure("MEDIA_TOO_LARGE", detail);
}

/** Returns the names of a part's metrics, models first. */
export function metricsOf({ chunks: [first] }: StoredPart): readonly string[] {
  return first === undefined ? [] : decodeRows(first).metrics;
}

/** Yields a part's own frames without its context, numbered in the whole video. Holds one chunk in memory at a time. */
export function* ownRows(part: StoredPart): Generator<FrameRow> {
  const segment = part.segment === undefined ? undefined : readSegment(part.segment);
  for (const chunk of part.chunks) {
    for (const { frame: number, metrics } of decodeRows(chunk).rows()) {
      const frame = segment === undefined ? number : frameOf(segment, number);
      if (segment === undefined || isOwn(segment, frame)) yield { frame, metrics };
    }
  }
}
