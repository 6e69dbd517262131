/** Score over bit rate of one clip: a curve for each ladder. */
import { Link } from "react-router";
import { fileName } from "../../../src/jobs/text/file-name.ts";
import type { RatePoint } from "../../../src/rates/points.ts";
import { cellPoint } from "../../../src/report/cell-point.ts";
import { isOnCurve } from "../../../src/report/curve-notes.ts";
import type { LadderLook } from "../../../src/report/ladder-looks.ts";
import { type Unit, unitOf } from "../chart/data/metrics.ts";
import { RateAxes } from "../rates/axes.tsx";
import { curvePath } from "../rates/curve-path.ts";
import { colourClass, curveProps, LadderSwatch } from "../rates/ladder-series.tsx";
import type { Place } from "../rates/rate-place.ts";
import { pointName, RateMark, RatePlot } from "../rates/rate-plot.tsx";
import { type Cell, type Choice, type Comparison, looksOf, rangesOf } from "./comparison-view.ts";

interface Point extends RatePoint {
  readonly cell: Cell;
}

interface LadderChartProps {
  readonly comparison: Comparison;
  readonly choice: Choice;
}

export function LadderChart({ comparison, choice }: LadderChartProps) {
  const unit = unitOf(choice.metric, rangesOf(comparison));
  const points = pointsOf(comparison, choice);
  const names = (comparison.ladders ?? []).map(({ name }) => name);
  const looks = looksOf(comparison);
  return (
    <section className="card" aria-label="Score and bit rate">
      <RatePlot
        heading={
          <>
            Score and bit rate of <bdi>{choice.clip}</bdi>
          </>
        }
        usual="log"
        empty="No encode of this clip has a score and a bit rate yet."
        {...{ points, unit }}
      >
        {(place) => (
          <>
            <figure>
              <figcaption className="unseen">
                {points.length} {points.length === 1 ? "encode" : "encodes"} of {choice.clip} in{" "}
                {names.length} {names.length === 1 ? "ladder" : "ladders"}; the tables below have their
                numbers.
              </figcaption>
              {/* biome-ignore lint/a11y/noSvgWithoutTitle: the caption describes it; a title would cover those of the marks. */}
              <svg width={place.width} height={place.height}>
                <RateAxes place={place} unit={unit} />
                {names.map((name) => (
                  <path
                    key={name}
                    {...curveProps(looks.get(name))}
                    d={curvePath(
                      points.filter(({ cell }) => cell.ladder === name && isOnCurve(cell, choice.metric)),
                      unit.better,
                      place,
                    )}
                  />
                ))}
                {points.map((point) => (
                  <Mark
                    key={point.cell.number}
                    look={looks.get(point.cell.ladder)}
                    isOn={isOnCurve(point.cell, choice.metric)}
                    {...{ point, place, unit }}
                  />
                ))}
              </svg>
            </figure>
            <Key looks={looks} anchor={comparison.anchor} />
            {points.some(({ cell }) => !isOnCurve(cell, choice.metric)) && (
              <p className="quiet">
                The curve of a ladder with several picture sizes is the convex hull of its encodes. Encodes
                that are not on it are hollow, and do not count in its numbers.
              </p>
            )}
          </>
        )}
      </RatePlot>
    </section>
  );
}

function pointsOf({ cells = [] }: Comparison, { clip, metric }: Choice): readonly Point[] {
  return cells.flatMap((cell) => {
    const point = cell.clip === clip ? cellPoint(cell, metric) : undefined;
    return point === undefined ? [] : [{ cell, ...point }];
  });
}

interface MarkProps {
  readonly point: Point;
  readonly place: Place;
  readonly unit: Unit;
  readonly look: LadderLook | undefined;
  /** Whether the curve of the ladder passes through it. */
  readonly isOn: boolean;
}

function Mark({ point, place, unit, look, isOn }: MarkProps) {
  const { cell } = point;
  const own = pointName(`${cell.ladder}: ${fileName(cell.distorted)}`, point, unit);
  const name = isOn ? own : `${own}, not on the hull`;
  return (
    <Link to={`/jobs/${cell.jobId}`} aria-label={name}>
      <RateMark className={`${colourClass(look)} ${isOn ? "" : "off-hull"}`} {...{ point, place, name }}>
        {(x, y) => <circle className="shape" cx={x} cy={y} r="4.5" />}
      </RateMark>
    </Link>
  );
}

interface KeyProps {
  readonly looks: ReadonlyMap<string, LadderLook>;
  readonly anchor: string;
}

function Key({ looks, anchor }: KeyProps) {
  return (
    <ul className="rate-key">
      {[...looks].map(([name, look]) => (
        <li key={name}>
          <LadderSwatch look={look} /> <bdi>{name}</bdi>
          {name === anchor && <span className="quiet"> (anchor)</span>}
        </li>
      ))}
    </ul>
  );
}
