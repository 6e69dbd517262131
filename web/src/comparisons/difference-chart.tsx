/** How each ladder of a clip differs from the anchor along the curves: bits at each score, or scores at each rate. */
import { useRef } from "react";
import { useSearchParams } from "react-router";
import { roundRateText } from "../../../src/jobs/quantities.ts";
import { type Direction, differences } from "../../../src/rates/difference-curves.ts";
import { linearAxis, logAxis, ratios, ticks } from "../../../src/rates/ticks.ts";
import { cellPoint } from "../../../src/report/cell-point.ts";
import { isOnCurve } from "../../../src/report/curve-notes.ts";
import type { LadderLook } from "../../../src/report/ladder-looks.ts";
import { type Unit, unitOf } from "../chart/data/metrics.ts";
import { Axes } from "../rates/axes.tsx";
import { curveProps, LadderSwatch } from "../rates/ladder-series.tsx";
import { useWidth } from "../rates/use-width.ts";
import { ParamSelect } from "../ui/url-param.tsx";
import { type Choice, type Comparison, looksOf, rangesOf } from "./comparison-view.ts";

const STEPS = 120;
const HEIGHT = 260;
/** Room for the axis labels. */
const MARGIN = { left: 52, right: 26, top: 24, bottom: 28 };

interface Line {
  readonly name: string;
  readonly look: LadderLook | undefined;
  readonly points: ReturnType<typeof differences>;
}

interface DifferenceChartProps {
  readonly comparison: Comparison;
  readonly choice: Choice;
}

export function DifferenceChart({ comparison, choice }: DifferenceChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host);
  const [params] = useSearchParams();
  const direction: Direction = params.get("difference") === "score" ? "score" : "rate";
  const { anchor, ladders = [] } = comparison;
  const unit = unitOf(choice.metric, rangesOf(comparison));
  if (ladders.length < 2 || unit.better === undefined) return null;
  const lines = linesOf(comparison, choice, unit, direction);
  return (
    <section className="card" aria-label="Difference from the anchor">
      <div className="rate-chart" ref={host}>
        <div className="section-head">
          <h2>
            Difference from <bdi>{anchor}</bdi>, <bdi>{choice.clip}</bdi>
          </h2>
          <ParamSelect
            name="difference"
            label="Show"
            value={direction}
            options={[
              ["rate", "Bits at the same score"],
              ["score", "Score at the same bit rate"],
            ]}
          />
        </div>
        {lines.length === 0 ? (
          <p className="quiet">No ladder has a BD-rate by PCHIP in this clip.</p>
        ) : (
          <>
            <figure>
              <figcaption className="unseen">
                {direction === "rate"
                  ? `How many percent more or fewer bits than ${anchor} each ladder needs at each score.`
                  : `How much higher or lower than ${anchor} each ladder scores at each bit rate.`}
              </figcaption>
              <Plot {...{ lines, direction, unit, width }} />
            </figure>
            <ul className="rate-key">
              {lines.map(({ name, look }) => (
                <li key={name}>
                  <LadderSwatch look={look} /> <bdi>{name}</bdi>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  );
}

function linesOf(
  comparison: Comparison,
  { clip, metric }: Choice,
  { better }: Unit,
  direction: Direction,
): readonly Line[] {
  const { anchor, cells = [] } = comparison;
  const own = cells.filter((cell) => cell.clip === clip && isOnCurve(cell, metric));
  const pointsOf = (name: string) =>
    own.flatMap((cell) => (cell.ladder === name ? (cellPoint(cell, metric) ?? []) : []));
  const base = pointsOf(anchor);
  return [...looksOf(comparison)].flatMap(([name, look]) => {
    if (name === anchor) return [];
    const pair = { anchor: base, test: pointsOf(name), isLower: better === "lower" };
    const points = differences(pair, direction, STEPS);
    return points.length === 0 ? [] : [{ name, look, points }];
  });
}

interface PlotProps {
  readonly lines: readonly Line[];
  readonly direction: Direction;
  readonly unit: Unit;
  readonly width: number;
}

function Plot({ lines, direction, unit, width }: PlotProps) {
  const all = lines.flatMap(({ points }) => points);
  const [ats, values] = [all.map(({ at }) => at), all.map(({ value }) => value)];
  const [left, right] = [MARGIN.left, Math.max(MARGIN.left + 50, width - MARGIN.right)];
  const [top, bottom] = [MARGIN.top, HEIGHT - MARGIN.bottom];
  const count = Math.max(2, width / 130);
  const isLog = direction === "score";
  const marks = (isLog ? ratios : ticks)(Math.min(...ats), Math.max(...ats), count);
  // Zero, where a ladder is like the anchor, is always on the axis.
  const levels = ticks(Math.min(0, ...values), Math.max(0, ...values), 5);
  const x = (isLog ? logAxis : linearAxis)(marks, left, right);
  const y = linearAxis(levels, bottom, top);
  const suffix = direction === "rate" ? " %" : "";
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the caption describes it.
    <svg width={right + MARGIN.right} height={HEIGHT}>
      <Axes
        frame={{ left, right, top, bottom, x, y }}
        across={{ values: marks, text: (mark) => (isLog ? roundRateText(mark) : String(mark)) }}
        up={{ values: levels, text: (level) => `${level}${suffix}`.replace("-", "−") }}
        label={
          direction === "rate" ? `More or fewer bits, over ${unit.label}` : `${unit.label}, over bit rate`
        }
      />
      <g className="axes">
        <line className="zero" x1={left} x2={right} y1={y(0)} y2={y(0)} />
      </g>
      {lines.map(({ name, look, points }) => (
        <path
          key={name}
          {...curveProps(look)}
          d={points
            .map(
              ({ at, value }, step) => `${step === 0 ? "M" : "L"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`,
            )
            .join("")}
        />
      ))}
    </svg>
  );
}
