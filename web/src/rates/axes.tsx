/** The axes of a chart of scores over bit rates. */
import { roundRateText } from "../../../src/jobs/quantities.ts";
import type { Unit } from "../chart/data/metrics.ts";
import type { Place } from "./rate-place.ts";

export function Axes({ place, unit }: { readonly place: Place; readonly unit: Unit }) {
  const { left, right, top, bottom, x, y } = place;
  return (
    <g className="axes">
      {place.rates.map((rate) => (
        <g key={rate}>
          <line x1={x(rate)} x2={x(rate)} y1={top} y2={bottom} />
          <text x={x(rate)} y={bottom + 18} textAnchor="middle">
            {rate === 0 ? "0" : roundRateText(rate)}
          </text>
        </g>
      ))}
      {place.scores.map((score) => (
        <g key={score}>
          <line x1={left} x2={right} y1={y(score)} y2={y(score)} />
          <text x={left - 8} y={y(score) + 4} textAnchor="end">
            {score}
          </text>
        </g>
      ))}
      <text x={left} y={top - 8}>
        {unit.better === "lower" ? `${unit.label}, lower is better` : unit.label}
      </text>
    </g>
  );
}
