/**
 * Differences from the baseline over releases: a line for each clip, their mean with its interval, and the
 * releases at which it changed.
 */
import { useRef } from "react";
import { ticks } from "../../../src/rates/ticks.ts";
import { useWidth } from "../rates/use-width.ts";
import { differenceText, lineOf, type Trend } from "./trend-view.ts";

const HEIGHT = 320;
/** Room for the axis labels. */
const MARGIN = { left: 52, right: 24, top: 26, bottom: 30 };
/** Limit of lines; more would hide one another. */
const MAX_LINES = 100;
/** Pixels between the names of two releases. */
const NAME_ROOM = 70;

interface Place {
  readonly width: number;
  readonly x: (index: number) => number;
  readonly y: (difference: number) => number;
  readonly marks: readonly number[];
}

export function TrendChart({ trend }: { readonly trend: Trend }) {
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host);
  const { releases, clips, delta, by } = trend;
  const lines = clips.slice(0, MAX_LINES).map((clip) => ({ clip, line: lineOf(clip, trend) }));
  const place = placeOf(
    trend,
    lines.flatMap(({ line }) => line).filter((value) => value !== undefined),
    width,
  );
  const every = Math.max(1, Math.ceil((releases.length * NAME_ROOM) / width));
  return (
    <section className="card trend-chart" ref={host} aria-label="Differences by release">
      <h2>
        Differences to {by} <bdi>{delta?.baseline}</bdi>
      </h2>
      <figure>
        <figcaption className="unseen">
          {clips.length} clips over {releases.length} releases; the tables below have their numbers.
        </figcaption>
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the caption describes it; a title would cover those of the marks. */}
        <svg width={place.width} height={HEIGHT}>
          <g className="axes">
            {place.marks.map((mark) => (
              <g key={mark}>
                <line
                  x1={MARGIN.left}
                  x2={place.width - MARGIN.right}
                  y1={place.y(mark)}
                  y2={place.y(mark)}
                  className={mark === 0 ? "zero" : undefined}
                />
                <text x={MARGIN.left - 8} y={place.y(mark) + 4} textAnchor="end">
                  {String(mark).replace("-", "−")}
                </text>
              </g>
            ))}
            {releases.map(({ name }, index) =>
              index % every === 0 ? (
                <text key={name} x={place.x(index)} y={HEIGHT - 8} textAnchor="middle">
                  {name.slice(0, 12)}
                </text>
              ) : null,
            )}
            <text x={MARGIN.left} y={MARGIN.top - 10}>
              Points{trend.lowerIsBetter ? ", lower is better" : ""}
            </text>
          </g>
          {releases.map(({ name, change }, index) =>
            change === undefined ? null : (
              <line
                key={name}
                className="change"
                x1={place.x(index - 0.5)}
                x2={place.x(index - 0.5)}
                y1={MARGIN.top}
                y2={HEIGHT - MARGIN.bottom}
              >
                <title>{`Changed with ${name}: ${differenceText(change)}`}</title>
              </line>
            ),
          )}
          {lines.map(({ clip, line }) => (
            <path key={clip.name} className="clip" d={pathOf(line, place)}>
              <title>{clip.name}</title>
            </path>
          ))}
          <Means trend={trend} place={place} />
        </svg>
      </figure>
      <p className="quiet trend-key">
        <span className="key-mean" /> Mean of the clips with its 95 % interval <span className="key-clip" />{" "}
        one clip <span className="key-change" /> the scores changed
      </p>
    </section>
  );
}

function Means({ trend: { releases, delta }, place }: { readonly trend: Trend; readonly place: Place }) {
  const means = releases.map((release) => (release.name === delta?.baseline ? 0 : release.delta?.mean));
  return (
    <>
      <path className="mean" d={pathOf(means, place)} />
      {releases.map((release, index) => {
        const mean = means[index];
        if (mean === undefined) return null;
        const { halfWidth = 0 } = release.delta ?? {};
        const [x, low, high] = [place.x(index), place.y(mean - halfWidth), place.y(mean + halfWidth)];
        return (
          <g key={release.name} className="mark">
            <title>{`${release.name}: ${release.delta ? differenceText(release.delta) : "baseline"}`}</title>
            <path className="interval" d={`M${x} ${low}V${high}M${x - 5} ${low}h10M${x - 5} ${high}h10`} />
            <circle cx={x} cy={place.y(mean)} r="4" />
          </g>
        );
      })}
    </>
  );
}

function placeOf({ releases }: Trend, values: readonly number[], outer: number): Place {
  const ends = releases.flatMap(({ delta }) =>
    delta?.mean === undefined
      ? []
      : [delta.mean - (delta.halfWidth ?? 0), delta.mean + (delta.halfWidth ?? 0)],
  );
  const all = [0, ...values, ...ends];
  const marks = ticks(Math.min(...all), Math.max(...all), 6);
  const [low, high] = [marks[0] ?? 0, marks.at(-1) ?? 1];
  const width = Math.max(MARGIN.left + MARGIN.right + 80, outer);
  const inner = width - MARGIN.left - MARGIN.right;
  const [top, bottom] = [MARGIN.top, HEIGHT - MARGIN.bottom];
  return {
    width,
    marks,
    x: (index) => MARGIN.left + ((index + 0.5) / releases.length) * inner,
    y: (difference) => bottom - ((difference - low) / (high - low)) * (bottom - top),
  };
}

/** A line through the values; it is interrupted where one is missing. */
function pathOf(values: readonly (number | undefined)[], { x, y }: Place): string {
  return values
    .map((value, index) => {
      if (value === undefined) return "";
      return `${index === 0 || values[index - 1] === undefined ? "M" : "L"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    })
    .join("");
}
