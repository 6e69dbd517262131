/** Joins the values of segments, and verifies that they belong to the same frames. */

import { SegmentMismatch } from "../contract/segment-mismatch.ts";
import { FrameTable } from "../frames/frame-table.ts";
import type { Model } from "../planning/models.ts";
import type { Segment } from "../planning/segment.ts";

type Named = readonly Pick<Model, "metric">[];

/** Values of a frame that its segment has only as context, in the order of the metrics. */
interface ContextRow {
  readonly frame: number;
  readonly values: readonly number[];
}

/**
 * Bytes per row in addition to its values: its number, and the scratch space in which pooling sorts a metric's value.
 */
const ROW_BYTES = 4 + 8;

/** Joins segments that are added in frame order, each as one table or as consecutive ones. */
export class Joiner {
  readonly #models: Named;
  readonly #frames: number;
  #whole: FrameTable | undefined;
  /** Per metric, whether its value depends on its frame alone. */
  #alone: readonly boolean[] = [];
  /** Context rows of frames that are not joined yet because they belong to the next segment. */
  #ahead: ContextRow[] = [];

  /** `frames`: number of rows to allocate. */
  constructor(models: Named, frames: number) {
    this.#models = models;
    this.#frames = frames;
  }

  /**
   * Returns the bytes for the joined table and for pooling it once `table` is added; its rows fit into those allocated.
   */
  bytesWith(table: FrameTable): number {
    const widths = table.metrics.map((metric) =>
      isWide(table, metric) || (this.#whole !== undefined && isWide(this.#whole, metric)) ? 8 : 4,
    );
    return this.#frames * widths.reduce<number>((sum, width) => sum + width, ROW_BYTES);
  }

  /**
   * Adds rows of a segment and its context, numbered from the first frame that the scorer saw. A context frame was also
   * scored by the adjacent segment. Metrics that depend on that frame alone must then agree to the last digit; if they
   * do not, the segments were cut in the wrong place. Only the context of the next segment is kept. Throws
   * SegmentMismatch if segments disagree or have different metrics.
   */
  add(segment: Segment, table: FrameTable): void {
    const whole = this.#wholeOf(table);
    if (!sameList(whole.metrics, table.metrics)) {
      throw new SegmentMismatch(
        "SCORER_FAILED",
        `The segments have different metrics at frame ${segment.first}.`,
      );
    }
    for (let row = 0; row < table.length; row++) {
      const frame = frameOf(segment, table.frame(row));
      const values = whole.metrics.map((metric) => table.value(metric, row) ?? Number.NaN);
      if (isOwn(segment, frame)) whole.append(frame, values);
      else if (frame < segment.first) this.#compare(whole, { frame, values });
      else this.#ahead.push({ frame, values });
    }
    const next = whole.length === 0 ? 0 : whole.frame(whole.length - 1) + 1;
    for (const context of this.#ahead) if (context.frame < next) this.#compare(whole, context);
    this.#ahead = this.#ahead.filter(({ frame }) => frame >= next);
  }

  /** Returns one table of all frames. */
  finish(): FrameTable {
    return this.#whole ?? new FrameTable([], 0);
  }

  #wholeOf({ metrics }: FrameTable): FrameTable {
    if (this.#whole !== undefined) return this.#whole;
    this.#alone = metrics.map((metric) => dependsOnFrameAlone(metric, this.#models));
    this.#whole = new FrameTable(metrics, this.#frames);
    return this.#whole;
  }

  #compare(whole: FrameTable, { frame, values }: ContextRow): void {
    const row = rowOf(whole, frame);
    if (row === undefined) return;
    const differs = whole.metrics.find(
      (metric, index) =>
        this.#alone[index] && !Object.is(values[index], whole.value(metric, row) ?? Number.NaN),
    );
    if (differs === undefined) return;
    throw new SegmentMismatch(
      "SCORER_FAILED",
      `Two segments disagree about frame ${frame} (${differs}): the video cannot be cut exactly.`,
    );
  }
}

function isWide(table: FrameTable, metric: string): boolean {
  return table.column(metric, 0, 0) instanceof Float64Array;
}

/** Returns the number in the whole video of a frame that the scorer numbered within its segment. */
export function frameOf(segment: Segment, number: number): number {
  return segment.first - segment.before + number;
}

/** Whether a frame is one of a segment's own, not of its context. */
export function isOwn(segment: Segment, frame: number): boolean {
  return frame >= segment.first && frame < segment.first + segment.count;
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}

/** Returns the row of a frame in a table sorted by frame; undefined if it was not scored (subsampling). */
function rowOf(table: FrameTable, frame: number): number | undefined {
  let [low, high] = [0, table.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (table.frame(middle) < frame) low = middle + 1;
    else high = middle;
  }
  return low < table.length && table.frame(low) === frame ? low : undefined;
}

/** Motion and XPSNR look at adjacent frames, and so do the models, which use motion. */
function dependsOnFrameAlone(metric: string, models: Named): boolean {
  return (
    !metric.includes("motion") &&
    !metric.startsWith("xpsnr_") &&
    !models.some(({ metric: model }) => metric === model || metric.startsWith(`${model}_`))
  );
}
