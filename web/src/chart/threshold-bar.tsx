/** The thresholds of the chart, each with the number of frames that are worse. */
import { type FormEvent, useMemo, useState } from "react";
import type { Counted } from "./data/column.ts";
import type { FrameTable } from "./data/frame-table.ts";
import { badSide, type ModelRanges, unitOf } from "./data/metrics.ts";
import { countBeyond, isSame, MAX_THRESHOLDS, type Threshold } from "./data/thresholds.ts";
import { MetricName, nameOf } from "./metric-name.tsx";
import type { View } from "./view.ts";

interface ThresholdBarProps {
  readonly table: FrameTable;
  /** Changes with the table's content. */
  readonly version: number;
  readonly view: View;
  /** Whether only part of the video is visible. */
  readonly isPart: boolean;
  readonly metrics: readonly string[];
  /** Metrics drawn. */
  readonly shown: readonly string[];
  readonly models: ModelRanges;
  readonly thresholds: readonly Threshold[];
  readonly onThresholds: (thresholds: readonly Threshold[]) => void;
}

export function ThresholdBar(props: ThresholdBarProps) {
  const { thresholds, onThresholds } = props;
  return (
    <div className="thresholds">
      <AddThreshold {...props} />
      <ul>
        {thresholds.map((threshold) => (
          <li key={`${threshold.metric}:${threshold.limit}`}>
            <Count {...props} threshold={threshold} />
            <button
              type="button"
              className="plain"
              aria-label={`Remove threshold ${nameOf(threshold.metric, props.metrics)} ${threshold.limit}`}
              onClick={() => onThresholds(thresholds.filter((each) => !isSame(each, threshold)))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function AddThreshold({ metrics, shown, models, thresholds, onThresholds }: ThresholdBarProps) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState("");
  const metric = shown.includes(chosen) ? chosen : (shown[0] ?? "");
  const limit = Number(text.replace(",", "."));
  const max = models.get(metric);
  const isBeyond = max !== undefined && (limit < 0 || limit > max);
  const isNew = text.trim() !== "" && Number.isFinite(limit) && metric !== "" && !isBeyond;
  const add = (event: FormEvent) => {
    event.preventDefault();
    const added = { metric, limit };
    if (!isNew) return;
    onThresholds([...thresholds.filter((each) => !isSame(each, added)), added]);
    setText("");
  };
  return (
    <form onSubmit={add}>
      <label>
        Threshold{" "}
        <input
          value={text}
          onChange={({ target }) => setText(target.value)}
          inputMode="decimal"
          size={6}
          placeholder="80"
        />
      </label>
      {shown.length > 1 && (
        <select
          aria-label="Metric of the threshold"
          value={metric}
          onChange={({ target }) => setChosen(target.value)}
        >
          {shown.map((each) => (
            <option key={each} value={each}>
              {nameOf(each, metrics)}
            </option>
          ))}
        </select>
      )}
      <button type="submit" disabled={!isNew || thresholds.length >= MAX_THRESHOLDS}>
        Add
      </button>
      {isBeyond && (
        <span className="failed" role="status">
          Scores of <bdi>{metric}</bdi> are from 0 to {max}.
        </span>
      )}
    </form>
  );
}

function Count({
  table,
  metrics,
  version,
  view,
  isPart,
  models,
  threshold,
}: ThresholdBarProps & { readonly threshold: Threshold }) {
  const side = badSide(unitOf(threshold.metric, models));
  // Counting reads every score, so it does not run at every step of a zoom.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes with the table's content
  const whole = useMemo(
    () => countBeyond(table, threshold, side, { from: 0, to: table.total }),
    [table, version, threshold, side],
  );
  const inView = isPart ? countBeyond(table, threshold, side, view) : whole;
  return (
    <span>
      <MetricName metric={threshold.metric} among={metrics} /> {side} {threshold.limit}:{" "}
      <strong>{whole.beyond.toLocaleString("en-US")}</strong> of {whole.of.toLocaleString("en-US")} frames (
      {share(whole)})
      {isPart && (
        <>
          , visible range: {inView.beyond.toLocaleString("en-US")} ({share(inView)})
        </>
      )}
    </span>
  );
}

function share({ beyond, of }: Counted): string {
  return beyond === 0 ? "0 %" : `${((beyond / of) * 100).toFixed(beyond / of < 0.01 ? 2 : 1)} %`;
}
