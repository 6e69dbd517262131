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

/** Takes segments in frame order, each in one table or in consecutive ones, and joins them. */
export class Joiner {
  readonly #models: Named;
  readonly #frames: number;
  readonly #contexts: ContextRow[] = [];
  #whole: FrameTable | undefined;

  /** `frames`: rows to make room for. */
  constructor(models: Named, frames: number) {
    this.#models = models;
    this.#frames = frames;
  }

  /** Rows of a segment and its context, numbered from the first frame that the scorer saw. Throws CutFault. */
  add(segment: Segment, table: FrameTable): void {
    this.#whole ??= new FrameTable(table.metrics, this.#frames);
    const whole = this.#whole;
    if (!sameList(whole.metrics, table.metrics)) {
      throw new CutFault("SCORER_FAILED", `Segments have different metrics at frame ${segment.first}.`);
    }
    for (let row = 0; row < table.length; row++) {
      const frame = frameOf(segment, table.frame(row));
      const values = whole.metrics.map((metric) => table.value(metric, row) ?? Number.NaN);
      if (isOwn(segment, frame)) whole.append(frame, values);
      else this.#contexts.push({ frame, values });
    }
  }

  /**
   * One table of all frames. Where a segment's context lies in its neighbour, both have
   * scored the same frame: values that depend on that frame alone must agree to the last
   * digit, or the segments were not cut where they should be: CutFault.
   */
  finish(): FrameTable {
    const whole = this.#whole ?? new FrameTable([], 0);
    const alone = whole.metrics.map((metric) => dependsOnFrameAlone(metric, this.#models));
    for (const { frame, values } of this.#contexts) {
      const row = rowOf(whole, frame);
      if (row === undefined) continue;
      const differs = whole.metrics.find(
        (metric, index) => alone[index] && !Object.is(values[index], whole.value(metric, row) ?? Number.NaN),
      );
      if (differs === undefined) continue;
      throw new CutFault(
        "SCORER_FAILED",
        `Two segments disagree about frame ${frame} (${differs}): the video cannot be cut exactly.`,
      );
    }
    return whole;
  }
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
