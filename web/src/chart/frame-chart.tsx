/** The per-frame chart: plot, overview, thresholds, legend and table. */
import { useCallback, useDeferredValue, useMemo, useState, useSyncExternalStore } from "react";
import type { FrameTable } from "./data/frame-table.ts";
import type { ModelRanges } from "./data/metrics.ts";
import type { Segment } from "./data/segments.ts";
import { smoothed, WINDOWS } from "./data/smooth.ts";
import type { Threshold } from "./data/thresholds.ts";
import { Distribution } from "./distribution.tsx";
import type { Drawing } from "./drawing.ts";
import { Legend } from "./legend.tsx";
import { Overview } from "./overview.tsx";
import { usePalette } from "./palette.ts";
import { PlotArea } from "./plot-area.tsx";
import { RangeTable } from "./range-table.tsx";
import { Readout } from "./readout.tsx";
import { ThresholdBar } from "./threshold-bar.tsx";
import { isWhole, type View } from "./view.ts";
import { ZoomBar } from "./zoom-bar.tsx";
import "../style/chart.css";

export interface FrameChartProps {
  readonly table: FrameTable;
  /** All metrics in the order of their colours; models first. */
  readonly metrics: readonly string[];
  /** Metrics that are hidden in the legend by default. */
  readonly minor: readonly string[];
  readonly models: ModelRanges;
  /** Frames per second; undefined if unknown. */
  readonly rate: number | undefined;
  readonly segments: readonly Segment[];
  readonly shots: Drawing["shots"];
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly shown: readonly string[];
  readonly onShown: (shown: readonly string[]) => void;
  readonly thresholds: readonly Threshold[];
  /** Stable while the job has the same gates, to avoid redrawing the chart. */
  readonly gates: Drawing["gates"];
  readonly onThresholds: (thresholds: readonly Threshold[]) => void;
  /** Called when a frame was selected. */
  readonly onFrame: (frame: number) => void;
}

export function FrameChart(props: FrameChartProps) {
  const { table, metrics, models, rate, segments, shots, view, onView, shown, thresholds, gates, onFrame } =
    props;
  const version = useSyncExternalStore(
    useCallback((look) => table.watch(look), [table]),
    () => table.version,
  );
  const palette = usePalette();
  const [marked, setMarked] = useState<number>();
  const [isFull, setIsFull] = useState(false);
  const [smoothing, setSmoothing] = useState<number>(0);
  // The chart is updated at once, the numbers around it when there is time.
  const settled = useDeferredValue(view);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes with the table's content
  const drawn = useMemo(
    () => smoothed(table, shown, smoothing, rate),
    [table, version, shown, smoothing, rate],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes with the table's content
  const drawing = useMemo(() => {
    const lines = shown.map((metric) => ({ metric, index: metrics.indexOf(metric) }));
    return {
      table: drawn,
      shown: lines,
      models,
      view,
      thresholds,
      gates,
      segments,
      shots,
      rate,
      palette,
      isFull,
    };
  }, [
    drawn,
    version,
    metrics,
    shown,
    models,
    view,
    thresholds,
    gates,
    segments,
    shots,
    rate,
    palette,
    isFull,
  ]);
  const isPart = !isWhole(settled, table.total);
  return (
    <div className="chart">
      <ZoomBar total={table.total} view={view} onView={onView}>
        <label>
          Smoothing{" "}
          <select value={smoothing} onChange={({ target }) => setSmoothing(Number(target.value))}>
            {WINDOWS.map((seconds) => (
              <option key={seconds} value={seconds}>
                {seconds === 0 ? "off" : `${seconds} s`}
              </option>
            ))}
          </select>
        </label>
        <label className="full">
          <input type="checkbox" checked={isFull} onChange={({ target }) => setIsFull(target.checked)} /> Full
          axis
        </label>
      </ZoomBar>
      <Readout frame={marked} rate={rate} segments={segments} />
      <PlotArea drawing={drawing} marked={marked} onView={onView} onMark={setMarked} onPick={onFrame} />
      <Overview
        {...{ table, version, palette, view, onView }}
        metric={shown[0] ?? metrics[0] ?? ""}
        index={Math.max(0, metrics.indexOf(shown[0] ?? ""))}
      />
      <ThresholdBar {...props} version={version} view={settled} isPart={isPart} />
      <Legend {...props} view={settled} marked={marked} palette={palette} onPick={onFrame} />
      <Details label="Distribution of scores (visible range)">
        <Distribution {...{ table, metrics, shown }} view={settled} />
      </Details>
      <Details label="Visible range as a table">
        <RangeTable {...props} view={settled} onPick={onFrame} />
      </Details>
    </div>
  );
}

/** Renders its content only while open. */
function Details({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && children}
    </details>
  );
}
