/** All scores of the selected frame. */
import type { FrameTable } from "../../chart/data/frame-table.ts";
import { type ModelRanges, scoreText, unitOf } from "../../chart/data/metrics.ts";
import { MetricName } from "../../chart/metric-name.tsx";
import { TimeCode } from "../../chart/time-code.tsx";

interface PickedFrameProps {
  readonly table: FrameTable;
  readonly metrics: readonly string[];
  readonly models: ModelRanges;
  readonly rate: number | undefined;
  readonly frame: number;
  readonly onFrame: (frame: number | undefined) => void;
}

export function PickedFrame({ table, metrics, models, rate, frame, onFrame }: PickedFrameProps) {
  return (
    <section className="picked" aria-label={`Frame ${frame}`}>
      <div className="section-head">
        <h3>
          Frame {frame.toLocaleString("en-US")} {rate !== undefined && <TimeCode frame={frame} rate={rate} />}
        </h3>
        <div className="buttons">
          <button
            type="button"
            aria-label="Previous frame"
            disabled={frame < table.step}
            onClick={() => onFrame(frame - table.step)}
          >
            ‹
          </button>
          <button
            type="button"
            aria-label="Next frame"
            disabled={frame + table.step >= table.total}
            onClick={() => onFrame(frame + table.step)}
          >
            ›
          </button>
          <button type="button" className="plain" aria-label="Close" onClick={() => onFrame(undefined)}>
            ×
          </button>
        </div>
      </div>
      <dl className="facts">
        {metrics.map((metric) => (
          <div key={metric}>
            <dt>
              <MetricName metric={metric} among={metrics} />
            </dt>
            <dd>{scoreText(table.value(metric, frame), unitOf(metric, models))}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
