/** The per-frame scores of all jobs in one chart, with the difference of two. */
import { useCallback, useDeferredValue, useState, useSyncExternalStore } from "react";
import type { ModelRanges } from "../chart/data/metrics.ts";
import { Overview } from "../chart/overview.tsx";
import { usePalette } from "../chart/palette.ts";
import { PlotArea } from "../chart/plot-area.tsx";
import { Readout } from "../chart/readout.tsx";
import { ZoomBar } from "../chart/zoom-bar.tsx";
import { usePicked, useView } from "../job/use-chart-state.ts";
import { Failed } from "../ui/states.tsx";
import { MAX_DRAWN } from "./compare-query.ts";
import type { Compared } from "./compared.ts";
import { DifferenceChoice } from "./difference-choice.tsx";
import { LineLegend } from "./line-legend.tsx";
import type { Overlay } from "./overlay.ts";
import { PairStills } from "./pair-stills.tsx";
import { useDifference, useDrawing, useDrawn } from "./use-lines.ts";
import "../style/chart.css";

interface FrameLinesProps {
  readonly overlay: Overlay;
  /** Changes as frames are loaded. */
  readonly version: number;
  readonly compared: readonly Compared[];
  readonly metric: string;
  readonly models: ModelRanges;
  readonly limit: number | undefined;
}

export function FrameLines(props: FrameLinesProps) {
  const { overlay } = props;
  const { isLoading, error } = useSyncExternalStore(
    useCallback((look) => overlay.watch(look), [overlay]),
    () => overlay.state,
  );
  const hasValues = overlay.table.metrics.length > 0;
  return (
    <section className="card" aria-label="Frames">
      <h2>Per-frame scores</h2>
      {error !== undefined && <Failed error={error} />}
      {hasValues ? (
        <Chart key={overlay.table.total} {...props} />
      ) : (
        <p className="quiet" role="status">
          {isLoading ? "Loading per-frame scores …" : "The chart appears once the first frames are scored."}
        </p>
      )}
    </section>
  );
}

function Chart(props: FrameLinesProps) {
  const { overlay, version, compared, metric, models } = props;
  const { table } = overlay;
  const [view, onView] = useView(table.total);
  const [picked, onPick] = usePicked(table.total);
  const [marked, setMarked] = useState<number>();
  const settled = useDeferredValue(view);
  const palette = usePalette();
  const [drawn, toggle] = useDrawn(compared);
  const difference = useDifference(overlay, compared, metric);
  const drawing = useDrawing({ ...props, drawn, hasDifference: difference !== undefined, view, palette });
  const [first] = drawing.shown;
  const frame = marked ?? picked;
  return (
    <div className="chart">
      <ZoomBar total={table.total} view={view} onView={onView} />
      <Readout frame={frame} rate={drawing.rate} segments={[]} />
      <PlotArea drawing={drawing} marked={frame} onView={onView} onMark={setMarked} onPick={onPick} />
      {first !== undefined && (
        <Overview {...{ table, version, palette, view, onView }} metric={first.metric} index={first.index} />
      )}
      {compared.length > MAX_DRAWN && (
        <p className="quiet">
          Only the first {MAX_DRAWN} encodes are drawn by default. Tick others below to draw them.
        </p>
      )}
      <DifferenceChoice compared={compared} />
      <LineLegend
        {...{ table, compared, metric, models, palette, difference, drawn, toggle, frame }}
        view={settled}
      />
      <PairStills compared={compared} difference={difference} frame={picked} />
    </div>
  );
}
