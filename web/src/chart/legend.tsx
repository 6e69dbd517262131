/** The legend: selects the metrics drawn, with their scores at the marked frame and in the visible range. */
import { type CSSProperties, useState } from "react";
import { ScrollArea } from "../ui/scrolls.tsx";
import type { FrameTable } from "./data/frame-table.ts";
import { type ModelRanges, scoreText, unitOf, worstOf } from "./data/metrics.ts";
import { MetricName } from "./metric-name.tsx";
import { type Palette, strokeOf } from "./palette.ts";
import type { View } from "./view.ts";

interface LegendProps {
  readonly table: FrameTable;
  /** All metrics in the order of their colours. */
  readonly metrics: readonly string[];
  readonly shown: readonly string[];
  /** Metrics that are listed only on request. */
  readonly minor: readonly string[];
  readonly models: ModelRanges;
  readonly view: View;
  readonly marked: number | undefined;
  readonly palette: Palette;
  readonly onShown: (shown: readonly string[]) => void;
  readonly onPick: (frame: number) => void;
}

export function Legend(props: LegendProps) {
  const { metrics, shown, marked, minor } = props;
  const [isAll, setIsAll] = useState(false);
  const isListed = (metric: string) => isAll || shown.includes(metric) || !minor.includes(metric);
  const hidden = metrics.filter((metric) => !isListed(metric)).length;
  return (
    <ScrollArea label="Metrics">
      <table className="legend">
        <caption className="unseen">Metrics, with their scores in the visible range</caption>
        <thead>
          <tr>
            <th>Metric</th>
            <th className="number">{marked === undefined ? "At the pointer" : `Frame ${marked}`}</th>
            <th className="number">Mean (visible range)</th>
            <th className="number">Worst (visible range)</th>
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric, index) =>
            isListed(metric) ? (
              <LegendRow
                key={metric}
                {...props}
                metric={metric}
                index={index}
                isShown={shown.includes(metric)}
              />
            ) : null,
          )}
        </tbody>
      </table>
      {(hidden > 0 || isAll) && (
        <button type="button" className="plain link" aria-expanded={isAll} onClick={() => setIsAll(!isAll)}>
          {isAll ? "Show fewer metrics" : `Show ${hidden} more metrics`}
        </button>
      )}
    </ScrollArea>
  );
}

function LegendRow({
  table,
  metrics,
  metric,
  index,
  isShown,
  shown,
  models,
  view,
  marked,
  palette,
  onShown,
  onPick,
}: LegendProps & { readonly metric: string; readonly index: number; readonly isShown: boolean }) {
  const unit = unitOf(metric, models);
  const { from, to } = table.rowsWithin(Math.round(view.from), Math.round(view.to));
  const column = isShown ? table.column(metric) : undefined;
  const worst = column === undefined ? -1 : worstOf(column.extremes(from, to), unit);
  const { colour, dash } = strokeOf(palette, index);
  const toggle = () => onShown(metrics.filter((each) => (each === metric ? !isShown : shown.includes(each))));
  const swatch = { "--swatch": colour } as CSSProperties;
  return (
    <tr className={isShown ? "" : "off"}>
      <td>
        <label>
          <input type="checkbox" checked={isShown} onChange={toggle} />
          <span className={dash.length > 0 ? "swatch dashed" : "swatch"} style={swatch} />
          <MetricName metric={metric} among={metrics} />
        </label>
      </td>
      <td className="number value">
        {marked === undefined || !isShown ? "" : scoreText(table.value(metric, marked), unit)}
      </td>
      <td className="number">{column === undefined ? "" : scoreText(column.mean(from, to), unit)}</td>
      <td className="number">
        {column !== undefined && worst >= 0 && unit.better !== undefined && (
          <>
            {scoreText(column.at(worst), unit)}{" "}
            <button type="button" className="plain link" onClick={() => onPick(worst * table.step)}>
              at {worst * table.step}
            </button>
          </>
        )}
      </td>
    </tr>
  );
}
