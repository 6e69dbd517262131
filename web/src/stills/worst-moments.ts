/** The worst moments of a job by the scores in its chart: those that `svc score` reports, by the same rule. */
import { framesApart, worstMoments } from "../../../src/jobs/scores/moments.ts";
import type { FrameTable } from "../chart/data/frame-table.ts";

/** Their frames, worst first. `rate`: frames per second; undefined if unknown. */
export function worstFrames(table: FrameTable, metric: string, rate: number | undefined): readonly number[] {
  const column = table.column(metric);
  const series = {
    length: table.rows,
    frame: (row: number) => row * table.step,
    value: (_: string, row: number) => {
      const value = column?.at(row) ?? Number.NaN;
      return Number.isNaN(value) ? undefined : value;
    },
  };
  return worstMoments(series, metric, framesApart(rate)).map(({ frame }) => frame);
}
