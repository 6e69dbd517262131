/** The distribution of the scores in the visible range: a histogram for each shown metric, with the cumulative share. */
import { distributionOf } from "./data/distribution.ts";
import type { FrameTable } from "./data/frame-table.ts";
import { MetricName } from "./metric-name.tsx";
import type { View } from "./view.ts";

interface DistributionProps {
  readonly table: FrameTable;
  readonly view: View;
  /** All metrics. */
  readonly metrics: readonly string[];
  readonly shown: readonly string[];
}

export function Distribution({ table, view, metrics, shown }: DistributionProps) {
  return (
    <div className="distributions">
      {shown.map((metric) => (
        <Histogram key={metric} {...{ table, view, metrics, metric }} />
      ))}
    </div>
  );
}

interface HistogramProps extends Omit<DistributionProps, "shown"> {
  readonly metric: string;
}

function Histogram({ table, view, metrics, metric }: HistogramProps) {
  const { from, to } = table.rowsWithin(Math.round(view.from), Math.round(view.to));
  const column = table.column(metric);
  const bins = column === undefined ? [] : distributionOf(column, from, to);
  const most = Math.max(1, ...bins.map(({ frames }) => frames));
  const all = Math.max(1, bins.at(-1)?.upTo ?? 0);
  if (bins.length === 0) return null;
  return (
    <table className="distribution">
      <caption>
        <MetricName metric={metric} among={metrics} />: frames by score
      </caption>
      <thead>
        <tr>
          <th scope="col">Score</th>
          <th scope="col" className="number">
            Frames
          </th>
          <th scope="col">
            <span className="unseen">Share</span>
          </th>
          <th scope="col" className="number">
            Up to here
          </th>
        </tr>
      </thead>
      <tbody>
        {bins.toReversed().map(({ from: low, to: high, frames, upTo }) => (
          <tr key={low}>
            <td className="mono">
              {low}–{high}
            </td>
            <td className="number">{frames.toLocaleString("en-US")}</td>
            <td>
              <span className="share" style={{ width: `${(frames / most) * 100}%` }} />
            </td>
            <td className="number">{((upTo / all) * 100).toFixed(1)} %</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
