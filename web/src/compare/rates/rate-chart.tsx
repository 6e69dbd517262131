/** Score over bit rate: every encode, the curves of the ladders and the convex hull. */
import { upperHull } from "../../../../src/rates/hull.ts";
import { type RatePoint, upright } from "../../../../src/rates/points.ts";
import { type ModelRanges, type Unit, unitOf } from "../../chart/data/metrics.ts";
import { RateAxes } from "../../rates/axes.tsx";
import { curvePath, linePath } from "../../rates/curve-path.ts";
import type { Place } from "../../rates/rate-place.ts";
import { pointName, RateMark, RatePlot } from "../../rates/rate-plot.tsx";
import type { Ladder } from "../compare-query.ts";
import type { ComparedPoint } from "../compared.ts";
import { labelPlaces, type Spot } from "./label-place.ts";
import { LADDERS, offHulls } from "./ladders.ts";
import { BASIS_NAMES } from "./rate-basis.ts";

interface RateChartProps {
  readonly points: readonly ComparedPoint[];
  readonly metric: string;
  readonly models: ModelRanges;
}

export function RateChart({ points, metric, models }: RateChartProps) {
  const unit = unitOf(metric, models);
  return (
    <RatePlot
      heading={`Score and ${BASIS_NAMES[points[0]?.of.basis ?? "video"].toLowerCase()}`}
      usual="linear"
      empty="No bit rates yet. A job has a bit rate once it has succeeded, if its file states a frame rate."
      {...{ points, unit }}
    >
      {(place) => (
        <>
          <Drawn points={points} place={place} unit={unit} />
          <Key points={points} hasHull={unit.better !== undefined} />
        </>
      )}
    </RatePlot>
  );
}

interface DrawnProps {
  /** At least one. */
  readonly points: readonly ComparedPoint[];
  readonly place: Place;
  readonly unit: Unit;
}

function Drawn({ points, place, unit }: DrawnProps) {
  const { better } = unit;
  const isLower = better === "lower";
  const hull = better === undefined ? [] : upright(upperHull(upright(points, isLower)), isLower);
  const spots = points.map(({ rate, score }) => ({ x: place.x(rate), y: place.y(score) }));
  const labels = labelPlaces(
    spots,
    points.map(({ of }) => String(of.number)),
  );
  const off = offHulls(points, better);
  const onHull = new Set(hull.map(({ of }) => of.id));
  return (
    <svg width={place.width} height={place.height} role="img" aria-label={described(points, hull)}>
      <RateAxes place={place} unit={unit} />
      <path className="hull" d={linePath(straight(hull), place)} />
      {LADDERS.map((ladder) => (
        <path
          key={ladder}
          className={`curve ladder-${ladder}`}
          d={curvePath(
            points.filter((point) => point.of.ladder === ladder && !off.has(point)),
            better,
            place,
          )}
        />
      ))}
      {points.map((point, index) => (
        <Mark
          key={point.of.id}
          point={point}
          label={labels[index]}
          place={place}
          unit={unit}
          isOnHull={onHull.has(point.of.id)}
        />
      ))}
    </svg>
  );
}

interface MarkProps {
  readonly point: ComparedPoint;
  readonly place: Place;
  /** Position of the number. */
  readonly label: Spot | undefined;
  readonly unit: Unit;
  readonly isOnHull: boolean;
}

/** Draws a point: a circle for ladder A, a square for B, a diamond for neither; filled if on the hull. */
function Mark({ point, place, label, unit, isOnHull }: MarkProps) {
  const { of } = point;
  const name = `${pointName(`${of.number}: ${of.title}`, point, unit)}${isOnHull ? ", on the hull" : ""}`;
  const className = `ladder-${of.ladder ?? "none"} ${isOnHull ? "on-hull" : ""}`;
  return (
    <RateMark {...{ point, place, name, className }}>
      {(x, y) => (
        <>
          {of.ladder === "a" && <circle className="shape" cx={x} cy={y} r="5.5" />}
          {of.ladder === "b" && <rect className="shape" x={x - 5} y={y - 5} width="10" height="10" />}
          {of.ladder === undefined && <path className="shape" d={`M${x - 7} ${y}l7 -7l7 7l-7 7z`} />}
          <text x={label?.x} y={label?.y}>
            {of.number}
          </text>
        </>
      )}
    </RateMark>
  );
}

function Key({ points, hasHull }: { readonly points: readonly ComparedPoint[]; readonly hasHull: boolean }) {
  const has = (ladder: Ladder | undefined) => points.some(({ of }) => of.ladder === ladder);
  return (
    <ul className="rate-key quiet">
      {has("a") && <li>● ladder A</li>}
      {has("b") && <li>■ ladder B</li>}
      {has(undefined) && <li>◆ neither</li>}
      {hasHull && (
        <li>
          <span className="hull-swatch" aria-hidden="true" /> convex hull; encodes on it are filled
        </li>
      )}
    </ul>
  );
}

function described(points: readonly ComparedPoint[], hull: readonly ComparedPoint[]): string {
  if (hull.length === 0) return `${points.length} encodes.`;
  const numbers = hull.map(({ of }) => of.number).join(", ");
  return `${points.length} encodes; on the convex hull: numbers ${numbers}.`;
}

/**
 * Returns points along the straight lines between neighbours: on a logarithmic axis, these lines are curved.
 */
function straight(points: readonly RatePoint[]): readonly RatePoint[] {
  return points.flatMap((point, index) => {
    const next = points[index + 1];
    if (next === undefined) return [point];
    return Array.from({ length: 24 }, (_, step) => ({
      rate: point.rate + ((next.rate - point.rate) * step) / 24,
      score: point.score + ((next.score - point.score) * step) / 24,
    }));
  });
}
