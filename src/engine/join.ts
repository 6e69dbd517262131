/** Puts the values of segments together again, and proves that they are of the same frames. */
import type { Segment } from "./cut.ts";
import { CutFault } from "./cut-fault.ts";
import { FrameTable } from "./frames.ts";
import type { Model } from "./models.ts";

type Named = readonly Pick<Model, "metric">[];

/** Values of a frame that its segment was given as context only, in the order of the metrics. */
interface ContextRow {
  readonly frame: number;
  readonly values: readonly number[];
}

/** Bytes of a row beside its values: its number, and the place that pooling sorts a metric's value in. */
const ROW_BYTES = 4 + 8;

/** Takes segments in frame order, each in one table or in consecutive ones, and joins them. */
export class Joiner {
  readonly #models: Named;
  readonly #frames: number;
  #whole: FrameTable | undefined;
  /** Metrics whose values depend on their frame alone. */
  #alone: readonly boolean[] = [];
  /** Context of frames that are not joined yet: those of the next segment. */
  #ahead: ContextRow[] = [];

  /** `frames`: rows to make room for. */
  constructor(models: Named, frames: number) {
    this.#models = models;
    this.#frames = frames;
  }

  /** Bytes that the whole takes, and pooling it, once a table's rows are in it; they are no more than there is room for. */
  bytesWith(table: FrameTable): number {
    const widths = table.metrics.map((metric) =>
      isWide(table, metric) || (this.#whole !== undefined && isWide(this.#whole, metric)) ? 8 : 4,
    );
    return this.#frames * widths.reduce<number>((sum, width) => sum + width, ROW_BYTES);
  }

  /**
   * Rows of a segment and its context, numbered from the first frame that the scorer saw. Where
   * its context lies in a neighbour, both have scored the same frame: values that depend on that
   * frame alone must agree to the last digit, or the segments were not cut where they should be:
   * CutFault. Only the context of what comes next is held.
   */
  add(segment: Segment, table: FrameTable): void {
    const whole = this.#wholeOf(table);
    if (!sameList(whole.metrics, table.metrics)) {
      throw new CutFault("SCORER_FAILED", `Segments have different metrics at frame ${segment.first}.`);
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

  /** One table of all frames. */
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
    throw new CutFault(
      "SCORER_FAILED",
      `Two segments disagree about frame ${frame} (${differs}): the video cannot be cut exactly.`,
    );
  }
}

function isWide(table: FrameTable, metric: string): boolean {
  return table.column(metric, 0, 0) instanceof Float64Array;
}

/** Number in the whole of a frame that its segment's scorer numbered. */
export function frameOf(segment: Segment, number: number): number {
  return segment.first - segment.before + number;
}

/** Whether a frame is a segment's own, not its context. */
export function isOwn(segment: Segment, frame: number): boolean {
  return frame >= segment.first && frame < segment.first + segment.count;
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
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
function dependsOnFrameAlone(metric: string, models: Named): boolean {
  return (
    !metric.includes("motion") &&
    !models.some(({ metric: model }) => metric === model || metric.startsWith(`${model}_`))
  );
}
