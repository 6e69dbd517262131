/** Score over bit rate of one clip: a curve for each ladder. */
import { useRef } from "react";
import { Link, useSearchParams } from "react-router";
import { bitRateText } from "../../../src/jobs/quantities.ts";
import { fileName } from "../../../src/jobs/text/file-name.ts";
import { unitOf, written } from "../chart/data/metrics.ts";
import { Axes, useWidth } from "../compare/rates/axes.tsx";
import { curvePath } from "../compare/rates/curve-path.ts";
import { type Place, placeOf } from "../compare/rates/rate-place.ts";
import { useSetParam } from "../ui/url-param.tsx";
import { type Cell, type Choice, type Comparison, rangesOf } from "./comparison-view.ts";

interface Point {
  readonly cell: Cell;
  readonly rate: number;
  readonly score: number;
}

interface LadderChartProps {
  readonly comparison: Comparison;
  readonly choice: Choice;
}

export function LadderChart({ comparison, choice }: LadderChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host);
  const [params] = useSearchParams();
  const setParam = useSetParam();
  const isLog = params.get("axis") !== "linear";
  const unit = unitOf(choice.metric, rangesOf(comparison));
  const points = pointsOf(comparison, choice);
  const names = (comparison.ladders ?? []).map(({ name }) => name);
  const setLog = (next: boolean) => setParam("axis", next ? undefined : "linear");
  const place = points.length === 0 ? undefined : placeOf(points, width, isLog, unit.bounds[1]);
  return (
    <section className="card rate-chart" ref={host} aria-label="Score and bit rate">
      <div className="section-head">
        <h2>
          Score and bit rate of <bdi>{choice.clip}</bdi>
        </h2>
        <label>
          <input type="checkbox" checked={isLog} onChange={({ target }) => setLog(target.checked)} />{" "}
          Logarithmic
        </label>
      </div>
      {place === undefined ? (
        <p className="quiet">No encode of this clip has a score and a bit rate yet.</p>
      ) : (
        <>
          <figure>
            <figcaption className="unseen">
              {points.length} encodes of {choice.clip} in {names.length}{" "}
              {names.length === 1 ? "ladder" : "ladders"}; the tables below have their numbers.
            </figcaption>
            {/* biome-ignore lint/a11y/noSvgWithoutTitle: the caption describes it; a title would cover those of the marks. */}
            <svg width={place.width} height={place.height}>
              <Axes place={place} unit={unit} />
              {names.map((name, index) => (
                <path
                  key={name}
                  className={`curve of-${colourOf(index)} ${isDashed(index) ? "dashed" : ""}`}
                  d={curvePath(
                    points.filter(({ cell }) => cell.ladder === name),
                    unit.better,
                    place,
                  )}
                />
              ))}
              {points.map((point) => (
                <Mark
                  key={point.cell.number}
                  point={point}
                  place={place}
                  score={written(point.score, unit)}
                  index={names.indexOf(point.cell.ladder)}
                />
              ))}
            </svg>
          </figure>
          <Key names={names} anchor={comparison.anchor} />
        </>
      )}
    </section>
  );
}

function pointsOf({ cells = [] }: Comparison, { clip, metric }: Choice): readonly Point[] {
  return cells.flatMap((cell) => {
    const [rate, score] = [cell.media?.videoBitRate, cell.pooled[metric]?.mean];
    return cell.clip === clip && rate !== undefined && score !== undefined ? [{ cell, rate, score }] : [];
  });
}

/** Colours of the theme for curves. */
const COLOURS = 6;

/** The number of a ladder's colour, from 1. */
function colourOf(index: number): number {
  return (Math.max(0, index) % COLOURS) + 1;
}

/** The second half of twelve ladders has the same colours with dashes. */
function isDashed(index: number): boolean {
  return Math.floor(index / COLOURS) % 2 === 1;
}

interface MarkProps {
  readonly point: Point;
  readonly place: Place;
  readonly score: string;
  /** Of the ladder. */
  readonly index: number;
}

function Mark({ point: { cell, rate, score }, place, score: text, index }: MarkProps) {
  const [x, y] = [place.x(rate), place.y(score)];
  const name = `${cell.ladder}: ${fileName(cell.distorted)}, ${text} at ${bitRateText(rate)}`;
  return (
    <Link to={`/jobs/${cell.jobId}`} aria-label={name}>
      <title>{name}</title>
      <g className={`mark of-${colourOf(index)}`}>
        {/* The hit area is larger than the visible mark. */}
        <circle className="reach" cx={x} cy={y} r="12" />
        <circle className="shape" cx={x} cy={y} r="4.5" />
      </g>
    </Link>
  );
}

function Key({ names, anchor }: { readonly names: readonly string[]; readonly anchor: string }) {
  return (
    <ul className="rate-key">
      {names.map((name, index) => (
        <li key={name}>
          <LadderSwatch index={index} /> <bdi>{name}</bdi>
          {name === anchor && <span className="quiet"> (anchor)</span>}
        </li>
      ))}
    </ul>
  );
}

/** A short line in the colour of a ladder. */
export function LadderSwatch({ index }: { readonly index: number }) {
  return (
    <svg className="ladder-swatch" width="24" height="10" aria-hidden="true">
      <path className={`curve of-${colourOf(index)} ${isDashed(index) ? "dashed" : ""}`} d="M0 5h24" />
    </svg>
  );
}
