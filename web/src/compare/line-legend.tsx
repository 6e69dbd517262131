/** The lines of the chart, with their scores at the marked frame and in the visible range. */
import { Link } from "react-router";
import { signedText } from "../../../src/jobs/quantities.ts";
import type { FrameTable } from "../chart/data/frame-table.ts";
import { type ModelRanges, scoreText, type Unit, unitOf, worstOf } from "../chart/data/metrics.ts";
import { type Palette, strokeOf } from "../chart/palette.ts";
import type { View } from "../chart/view.ts";
import { ScrollArea } from "../ui/scrolls.tsx";
import { type Compared, columnOf, dashOf } from "./compared.ts";
import { DIFFERENCE } from "./overlay.ts";

interface LineLegendProps {
  readonly table: FrameTable;
  readonly compared: readonly Compared[];
  readonly metric: string;
  readonly models: ModelRanges;
  readonly palette: Palette;
  /** The pair whose difference, the second minus the first, is also drawn; undefined: none. */
  readonly difference: readonly [Compared, Compared] | undefined;
  /** Ids of the jobs drawn. */
  readonly drawn: readonly string[];
  readonly toggle: (id: string) => void;
  /** The marked frame; undefined if none. */
  readonly frame: number | undefined;
  readonly view: View;
}

export function LineLegend(props: LineLegendProps) {
  const { compared, metric, models, palette, difference, frame } = props;
  const unit = unitOf(metric, models);
  return (
    <ScrollArea label="Lines of the chart">
      <table className="legend">
        <caption className="unseen">Lines of the chart, with their scores in the visible range</caption>
        <thead>
          <tr>
            <th>Line</th>
            <th className="number">{frame === undefined ? "At the pointer" : `Frame ${frame}`}</th>
            <th className="number">Mean (visible range)</th>
            <th className="number">Worst (visible range)</th>
          </tr>
        </thead>
        <tbody>
          {compared.map((each) => (
            <JobLine key={each.id} {...props} of={each} unit={unit} />
          ))}
          {difference !== undefined && (
            <tr>
              <td>
                <span className="difference-name">
                  <Swatch colour={strokeOf(palette, -1).colour} dash={[]} />
                  {difference[1].number} minus {difference[0].number}
                </span>
              </td>
              <Values {...props} name={DIFFERENCE} unit={unit} isSigned />
            </tr>
          )}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function JobLine(props: LineLegendProps & { readonly of: Compared; readonly unit: Unit }) {
  const { of, unit, metric, palette, drawn, toggle, frame } = props;
  const { id, number, title } = of;
  return (
    <tr className={drawn.includes(id) ? "" : "off"}>
      <td>
        <label>
          <input type="checkbox" checked={drawn.includes(id)} onChange={() => toggle(id)} />
          <Swatch colour={strokeOf(palette, number - 1).colour} dash={dashOf(number)} />
          <span className="badge">{number}</span>
          <bdi title={title}>{title}</bdi>
        </label>
        {frame !== undefined && (
          <Link className="to-frame" to={`/jobs/${id}?frame=${frame}`}>
            open
            <span className="unseen">
              {" "}
              frame {frame} of {title}
            </span>
          </Link>
        )}
      </td>
      <Values {...props} name={columnOf(metric, number)} unit={unit} />
    </tr>
  );
}

function Swatch({ colour, dash }: { readonly colour: string; readonly dash: readonly number[] }) {
  return (
    <svg className="line-swatch" width="34" height="8" aria-hidden="true">
      <line x1="0" x2="34" y1="4" y2="4" stroke={colour} strokeWidth="2.5" strokeDasharray={dash.join(" ")} />
    </svg>
  );
}

interface ValuesProps extends LineLegendProps {
  readonly name: string;
  readonly unit: Unit;
  readonly isSigned?: boolean;
}

function Values({ table, view, frame, name, unit, isSigned = false }: ValuesProps) {
  const column = table.column(name);
  const { from, to } = table.rowsWithin(Math.round(view.from), Math.round(view.to));
  const worst = column === undefined ? -1 : worstOf(column.extremes(from, to), unit);
  const text = (value: number) =>
    isSigned && Number.isFinite(value) ? signedText(value, unit.decimals) : scoreText(value, unit);
  return (
    <>
      <td className="number value">{frame === undefined ? "" : text(table.value(name, frame))}</td>
      <td className="number">{column === undefined ? "" : text(column.mean(from, to))}</td>
      <td className="number">
        {column !== undefined &&
          worst >= 0 &&
          unit.better !== undefined &&
          `${text(column.at(worst))} at ${worst * table.step}`}
      </td>
    </>
  );
}
