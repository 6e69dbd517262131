/** What all charts of scores over bit rates have in common. */
import { type ReactNode, useRef } from "react";
import { useSearchParams } from "react-router";
import { bitRateText } from "../../../src/jobs/quantities.ts";
import type { RatePoint } from "../../../src/rates/points.ts";
import { scoreText, type Unit } from "../chart/data/metrics.ts";
import { useSetParam } from "../ui/url-param.tsx";
import { type Place, placeOf } from "./rate-place.ts";
import { useWidth } from "./use-width.ts";
import "../style/rate-chart.css";

type Axis = "linear" | "log";

interface RatePlotProps {
  readonly heading: ReactNode;
  readonly points: readonly RatePoint[];
  readonly unit: Unit;
  /** The rate axis that is used unless the URL names the other one. */
  readonly usual: Axis;
  /** The text that is shown if there are no points. */
  readonly empty: string;
  /** Draws the points. */
  readonly children: (place: Place) => ReactNode;
}

export function RatePlot({ heading, points, unit, usual, empty, children }: RatePlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host);
  const [params] = useSearchParams();
  const setParam = useSetParam();
  const other: Axis = usual === "log" ? "linear" : "log";
  const axis = params.get("axis") === other ? other : usual;
  const isLog = axis === "log";
  return (
    <div className="rate-chart" ref={host}>
      <div className="section-head">
        <h2>{heading}</h2>
        <label>
          <input
            type="checkbox"
            checked={isLog}
            onChange={() => setParam("axis", axis === usual ? other : undefined)}
          />{" "}
          Logarithmic
        </label>
      </div>
      {points.length === 0 ? (
        <p className="quiet">{empty}</p>
      ) : (
        children(placeOf(points, width, isLog, unit.bounds[1]))
      )}
    </div>
  );
}

/** The name of a point: "2: medium, 93.21 at 4.20 Mbit/s". */
export function pointName(name: string, { rate, score }: RatePoint, unit: Unit): string {
  return `${name}, ${scoreText(score, unit)} at ${bitRateText(rate)}`;
}

interface RateMarkProps {
  readonly point: RatePoint;
  readonly place: Place;
  readonly name: string;
  readonly className: string;
  /** Draws the visible mark, of the class "shape". */
  readonly children: (x: number, y: number) => ReactNode;
}

/** A point, with a hit area that is larger than the visible mark. */
export function RateMark({ point: { rate, score }, place, name, className, children }: RateMarkProps) {
  const [x, y] = [place.x(rate), place.y(score)];
  return (
    <g className={`mark ${className}`}>
      <title>{name}</title>
      <circle className="reach" cx={x} cy={y} r="12" />
      {children(x, y)}
    </g>
  );
}
