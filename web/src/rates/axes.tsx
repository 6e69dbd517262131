/** The axes of charts of ladders. */
import { roundRateText } from "../../../src/jobs/quantities.ts";
import type { Unit } from "../chart/data/metrics.ts";
import type { Place } from "./rate-place.ts";

/** Where values are in a chart, in CSS pixels. */
export type Frame = Pick<Place, "left" | "right" | "top" | "bottom" | "x" | "y">;

/** The ticks of an axis, and their texts. */
export interface Ticks {
  readonly values: readonly number[];
  readonly text: (value: number) => string;
}

interface AxesProps {
  readonly frame: Frame;
  readonly across: Ticks;
  readonly up: Ticks;
  /** Above the chart. */
  readonly label: string;
}

export function Axes({ frame: { left, right, top, bottom, x, y }, across, up, label }: AxesProps) {
  return (
    <g className="axes">
      {across.values.map((value) => (
        <g key={value}>
          <line x1={x(value)} x2={x(value)} y1={top} y2={bottom} />
          <text x={x(value)} y={bottom + 18} textAnchor="middle">
            {across.text(value)}
          </text>
        </g>
      ))}
      {up.values.map((value) => (
        <g key={value}>
          <line x1={left} x2={right} y1={y(value)} y2={y(value)} />
          <text x={left - 8} y={y(value) + 4} textAnchor="end">
            {up.text(value)}
          </text>
        </g>
      ))}
      <text x={left} y={top - 8}>
        {label}
      </text>
    </g>
  );
}

/** The axes of a chart of scores over bit rates. */
export function RateAxes({ place, unit }: { readonly place: Place; readonly unit: Unit }) {
  return (
    <Axes
      frame={place}
      across={{ values: place.rates, text: (rate) => (rate === 0 ? "0" : roundRateText(rate)) }}
      up={{ values: place.scores, text: String }}
      label={unit.better === "lower" ? `${unit.label}, lower is better` : unit.label}
    />
  );
}
