/** The per-frame section of the page: the chart, its downloads, and the selected frame. */
import { useMemo, useSyncExternalStore } from "react";
import { isComponent } from "../../../../src/jobs/feature-names.ts";
import type { Job, Schemas } from "../../api/client.ts";
import type { FrameTable } from "../../chart/data/frame-table.ts";
import type { ModelRanges } from "../../chart/data/metrics.ts";
import { type Segment, segmentsOf } from "../../chart/data/segments.ts";
import { FrameChart } from "../../chart/frame-chart.tsx";
import { gateLines } from "../../gates/gate-lines.ts";
import { hasEnded, titleOf } from "../../jobs/job-facts.ts";
import { StillsSection } from "../../stills/stills.tsx";
import { fileStemOf } from "../../ui/save.tsx";
import { Failed } from "../../ui/states.tsx";
import { Downloads } from "../downloads.tsx";
import { metricsOf, modelRanges } from "../metric-order.ts";
import { usePicked, useShown, useThresholds, useView } from "../use-chart-state.ts";
import { frameRateOf } from "./frame-rate.ts";
import { PickedFrame } from "./picked-frame.tsx";
import { Spans } from "./spans.tsx";
import { useFrames } from "./use-frames.ts";

export function Frames({ job }: { readonly job: Job }) {
  const { table, isLoading, error } = useFrames(job);
  const hasValues = useSyncExternalStore(
    (look) => table?.watch(look) ?? (() => {}),
    () => (table?.metrics.length ?? 0) > 0,
  );
  // A job that failed before its first segment was scored has no per-frame scores.
  if (!hasValues && hasEnded(job) && job.state !== "SUCCEEDED") return null;
  return (
    <section className="card job-frames" aria-label="Frames">
      <div className="section-head">
        <h2>Per-frame scores</h2>
        {table !== undefined && hasValues && <Downloads job={job} />}
      </div>
      {error !== undefined && <Failed error={error} />}
      {table === undefined || !hasValues ? (
        <p className="quiet" role="status">
          {isLoading ? "Loading per-frame scores …" : "The chart appears once the first segment is scored."}
        </p>
      ) : (
        <Chart key={table.total} {...{ job, table, isLoading }} />
      )}
    </section>
  );
}

/** One list for all jobs without shots, to avoid redrawing the chart. */
const NO_SHOTS: readonly Schemas["ScoredSpan"][] = [];

interface ChartProps {
  readonly job: Job;
  readonly table: FrameTable;
  readonly isLoading: boolean;
}

function Chart({ job, table, isLoading }: ChartProps) {
  const models = useModels(job);
  const names = useSyncExternalStore(
    (look) => table.watch(look),
    () => table.metrics,
  );
  const metrics = useMemo(() => metricsOf(names, models), [names, models]);
  const minor = useMemo(
    () => metrics.filter((metric) => !models.has(metric) && isComponent(metric)),
    [metrics, models],
  );
  const segments = useSegments(job);
  const rate = frameRateOf(job);
  const [view, onView] = useView(table.total);
  const [shown, onShown] = useShown(metrics, models);
  const [thresholds, onThresholds] = useThresholds(metrics);
  const gates = useMemo(() => gateLines(job.gates ?? []), [job.gates]);
  const [picked, onFrame] = usePicked(table.total);
  const shots = job.result?.shots ?? NO_SHOTS;
  const streamSegments = job.result?.streamSegments ?? [];
  const file = fileStemOf(titleOf(job), job.id);
  return (
    <>
      {rate === undefined && <p className="quiet">Frame numbers only: no file states a frame rate.</p>}
      <FrameChart
        {...{
          table,
          metrics,
          minor,
          models,
          rate,
          segments,
          shots,
          view,
          onView,
          shown,
          onShown,
          thresholds,
          onThresholds,
          gates,
          onFrame,
        }}
      />
      {picked !== undefined && (
        <PickedFrame {...{ table, metrics, models, rate }} frame={picked} onFrame={onFrame} />
      )}
      {shots.length > 1 && <Spans what="shots" spans={shots} {...{ file, rate, onView, onFrame }} />}
      {streamSegments.length > 1 && (
        <Spans what="segments" spans={streamSegments} {...{ file, rate, onView, onFrame }} />
      )}
      {job.state === "SUCCEEDED" && (
        <StillsSection {...{ job, table, isLoading, rate, onFrame }} metric="vmaf" frame={picked} />
      )}
    </>
  );
}

/** Stable while the job has the same models, to avoid redrawing the chart. */
function useModels({ spec, result }: Job): ModelRanges {
  return useMemo(() => modelRanges({ spec, result }), [spec, result]);
}

/** Stable while the segments do not change, to avoid redrawing the chart. */
function useSegments({ work }: Job): readonly Segment[] {
  return useMemo(() => segmentsOf(work ?? [], Date.now()), [work]);
}
