/** Puts the values of segments together again, and proves that they are of the same frames. */
import { Failure } from "../platform/failure.ts";
import type { Segment } from "./cut.ts";
import { FrameTable } from "./frames.ts";
import type { Model } from "./models.ts";

export interface ScoredSegment {
  readonly segment: Segment;
  /** Values of the segment and its context, numbered from the first frame that the scorer saw. */
  readonly table: FrameTable;
}

/**
 * One table of all frames. Where a segment's context lies in its neighbour, both have
 * scored the same frame: values that depend on that frame alone must agree to the last
 * digit, or the segments were not cut where they should be.
 */
export function join(parts: readonly ScoredSegment[], models: readonly Model[]): FrameTable {
  const metrics = parts[0]?.table.metrics ?? [];
  const total = parts.reduce((sum, { table }) => sum + table.length, 0);
  const whole = new FrameTable(metrics, total);
  for (const { segment, table } of parts) {
    for (let row = 0; row < table.length; row++) {
      const frame = frameOf(segment, table, row);
      if (frame < segment.first || frame >= segment.first + segment.count) continue;
      whole.append(
        frame,
        metrics.map((metric) => table.value(metric, row) ?? Number.NaN),
      );
    }
  }
  verifyContexts(parts, whole, models);
  return whole;
}

function frameOf(segment: Segment, table: FrameTable, row: number): number {
  return segment.first - segment.before + table.frame(row);
}

function verifyContexts(parts: readonly ScoredSegment[], whole: FrameTable, models: readonly Model[]): void {
  const alone = whole.metrics.filter((metric) => dependsOnFrameAlone(metric, models));
  for (const { segment, table } of parts) {
    for (let row = 0; row < table.length; row++) {
      const frame = frameOf(segment, table, row);
      if (frame >= segment.first && frame < segment.first + segment.count) continue;
      const other = rowOf(whole, frame);
      if (other === undefined) continue;
      const differs = alone.find((metric) => table.value(metric, row) !== whole.value(metric, other));
      if (differs !== undefined) throw new SegmentsDisagree(frame, differs);
    }
  }
}

/** Row of a frame in a table that is sorted by frame; undefined when it was not scored (subsampling). */
function rowOf(table: FrameTable, frame: number): number | undefined {
  let [low, high] = [0, table.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (table.frame(middle) < frame) low = middle + 1;
    else high = middle;
  }
  return low < table.length && table.frame(low) === frame ? low : undefined;
}

/** Motion looks at the frames around, and so do the models, which are made from it. */
function dependsOnFrameAlone(metric: string, models: readonly Model[]): boolean {
  return (
    !metric.includes("motion") &&
    !models.some(({ metric: model }) => metric === model || metric.startsWith(`${model}_`))
  );
}

/** Two segments scored different pictures under one frame number. */
export class SegmentsDisagree extends Failure {
  constructor(frame: number, metric: string) {
    super(
      "SCORER_FAILED",
      `Two segments disagree about frame ${frame} (${metric}): the video cannot be cut exactly.`,
    );
  }
}
