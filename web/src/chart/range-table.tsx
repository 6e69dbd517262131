/** The visible range as an accessible table. */

import { ScrollArea } from "../ui/scrolls.tsx";
import type { FrameTable } from "./data/frame-table.ts";
import { type ModelRanges, scoreText, unitOf, worstOf } from "./data/metrics.ts";
import { timecode } from "./data/timecode.ts";
import { MetricName } from "./metric-name.tsx";
import { TIME_CODE } from "./time-code.tsx";
import type { View } from "./view.ts";

interface RangeTableProps {
  readonly table: FrameTable;
  readonly view: View;
  /** All metrics. */
  readonly metrics: readonly string[];
  readonly shown: readonly string[];
  readonly models: ModelRanges;
  readonly rate: number | undefined;
  readonly onPick: (frame: number) => void;
}

/** Longer ranges are shown in this many parts. */
const MAX_LINES = 50;

export function RangeTable({ table, view, metrics, shown, models, rate, onPick }: RangeTableProps) {
  const { from, to } = table.rowsWithin(Math.round(view.from), Math.round(view.to));
  const length = Math.max(1, Math.ceil((to - from) / MAX_LINES));
  const starts = Array.from({ length: Math.ceil((to - from) / length) }, (_, index) => from + index * length);
  return (
    <ScrollArea label="Visible range as a table">
      <table>
        <caption>
          {length === 1
            ? "Every frame in the visible range"
            : `Worst of every ${length} scores in the visible range`}
        </caption>
        <thead>
          <tr>
            <th>{length === 1 ? "Frame" : "Frames"}</th>
            {rate !== undefined && <th title={TIME_CODE}>Time code</th>}
            {shown.map((metric) => (
              <th key={metric} className="number">
                <MetricName metric={metric} among={metrics} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {starts.map((start) => {
            const end = Math.min(to, start + length);
            const first = start * table.step;
            return (
              <tr key={start}>
                <td>
                  <button type="button" className="plain link" onClick={() => onPick(first)}>
                    {length === 1 ? first : `${first}–${(end - 1) * table.step}`}
                  </button>
                </td>
                {rate !== undefined && <td className="mono">{timecode(first, rate)}</td>}
                {shown.map((metric) => {
                  const column = table.column(metric);
                  const unit = unitOf(metric, models);
                  const worst = column === undefined ? -1 : worstOf(column.extremes(start, end), unit);
                  return (
                    <td key={metric} className="number">
                      {scoreText(column?.at(worst) ?? Number.NaN, unit)}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollArea>
  );
}
