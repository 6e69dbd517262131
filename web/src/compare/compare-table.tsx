/** The compared jobs as a table, with the best value of each column marked. */
import { type FormEvent, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { sizeText } from "../../../src/jobs/quantities.ts";
import { csvTable } from "../../../src/jobs/text/csv-row.ts";
import { badSide, type ModelRanges, scoreText, type Unit, unitOf } from "../chart/data/metrics.ts";
import { nameOf } from "../chart/metric-name.tsx";
import { progressText } from "../jobs/job-facts.ts";
import { DownloadCsv } from "../ui/save.tsx";
import { ScrollArea } from "../ui/scrolls.tsx";
import { StateChip } from "../ui/state-chip.tsx";
import { useSetParam } from "../ui/url-param.tsx";
import {
  bestOf,
  type ColumnKey,
  columnsOf,
  csvColumns,
  inOrder,
  type Row,
  type Sorting,
  sortedBy,
  sortingOf,
  sortText,
} from "./compare-order.ts";
import { type Chosen, type Ladder, onLadder } from "./compare-query.ts";
import { BASIS_NAMES, type RateBasis } from "./rates/rate-basis.ts";
import { RateCell } from "./rates/rate-cell.tsx";

interface CompareTableProps {
  readonly rows: readonly Row[];
  readonly chosen: readonly Chosen[];
  readonly choose: (chosen: readonly Chosen[]) => void;
  readonly metric: string;
  readonly models: ModelRanges;
  /** Frames worse than this are counted; undefined: none are. */
  readonly limit: number | undefined;
}

export function CompareTable(props: CompareTableProps) {
  const { rows, metric, models, limit } = props;
  const [params] = useSearchParams();
  const sorting = sortingOf(params.get("sort"));
  const set = useSetParam();
  const unit = unitOf(metric, models);
  const best = new Map(columnsOf(unit.better).map(({ key }) => [key, bestOf(rows, key, unit.better)]));
  return (
    <section className="card" aria-label="Summary">
      <div className="section-head">
        <h2>Summary</h2>
        <DownloadCsv
          of="compared jobs"
          name="compared-jobs"
          lines={() => csvTable(csvColumns(metric), inOrder(rows, sorting))}
        />
        <Limit key={limit} limit={limit} side={badSide(unit)} change={(text) => set("threshold", text)} />
      </div>
      <ScrollArea label="Summary of the compared jobs">
        <table className="compared">
          <caption className="unseen">
            Compared jobs: pooled scores of {nameOf(metric, [metric])}, size, bit rate and frames{" "}
            {badSide(unit)} the limit
          </caption>
          <Head
            sorting={sorting}
            limit={limit}
            unit={unit}
            basis={rows[0]?.of.basis ?? "video"}
            sort={(key) => set("sort", sortText(sortedBy(sorting, key, unit.better)))}
          />
          <tbody>
            {inOrder(rows, sorting).map((row) => (
              <JobRow key={row.of.id} {...props} row={row} unit={unit} best={best} />
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </section>
  );
}

interface HeadProps {
  readonly sorting: Sorting;
  readonly limit: number | undefined;
  readonly unit: Unit;
  readonly basis: RateBasis;
  readonly sort: (key: ColumnKey | "name") => void;
}

function Head({ sorting, limit, unit, basis, sort }: HeadProps) {
  const columns = [{ key: "name", name: "Job" } as const, ...columnsOf(unit.better)];
  const side = badSide(unit) === "below" ? "Below" : "Above";
  const titles: Readonly<Record<string, string>> = {
    beyond: `${side} ${limit ?? "…"}`,
    rate: BASIS_NAMES[basis],
  };
  return (
    <thead>
      <tr>
        {columns.map(({ key, name }) => {
          const isSorted = sorting.key === key;
          const direction = sorting.descending ? "descending" : "ascending";
          return (
            <th
              key={key}
              className={key === "name" ? "" : "number"}
              {...(isSorted && { "aria-sort": direction })}
            >
              <button type="button" className="plain sort" onClick={() => sort(key)}>
                {titles[key] ?? name}
                {isSorted && <span aria-hidden="true">{sorting.descending ? "↓" : "↑"}</span>}
              </button>
            </th>
          );
        })}
        <th>Ladder</th>
        <th>
          <span className="unseen">Remove</span>
        </th>
      </tr>
    </thead>
  );
}

interface JobRowProps extends CompareTableProps {
  readonly row: Row;
  readonly unit: Unit;
  readonly best: ReadonlyMap<ColumnKey, number | undefined>;
}

function JobRow({ row, unit, best, chosen, choose }: JobRowProps) {
  const { of, values } = row;
  const { id, title, number, ladder, job } = of;
  return (
    <tr>
      <th scope="row">
        <span className={`badge ladder-${ladder ?? "none"}`}>{number}</span>
        <Link to={`/jobs/${id}`} title={job.spec.distorted}>
          <bdi>{title}</bdi>
        </Link>
        {job.state !== "SUCCEEDED" && (
          <span className="quiet how-far">
            <StateChip state={job.state} /> {progressText(job)}
          </span>
        )}
      </th>
      {columnsOf(unit.better).map(({ key }) => (
        <td key={key} className="number" {...(values[key] !== undefined && { title: String(values[key]) })}>
          <Best is={values[key] !== undefined && values[key] === best.get(key)}>
            {key === "rate" ? <RateCell of={of} /> : cellText(key, values[key], unit)}
          </Best>
        </td>
      ))}
      <td>
        <LadderChoice title={title} ladder={ladder} change={(next) => choose(onLadder(chosen, id, next))} />
      </td>
      <td>
        <button
          type="button"
          className="plain"
          aria-label={`Remove ${title}`}
          onClick={() => choose(chosen.filter((each) => each.id !== id))}
        >
          ×
        </button>
      </td>
    </tr>
  );
}

function Best({ is, children }: { readonly is: boolean; readonly children: React.ReactNode }) {
  if (!is) return children;
  return (
    <strong className="best">
      <span aria-hidden="true">★ </span>
      {children}
      <span className="unseen"> (best)</span>
    </strong>
  );
}

function cellText(key: ColumnKey, value: number | undefined, unit: Unit): string {
  if (value === undefined) return "–";
  if (key === "size") return sizeText(value);
  return key === "beyond" ? value.toLocaleString("en-US") : scoreText(value, unit);
}

interface LadderChoiceProps {
  readonly title: string;
  readonly ladder: Ladder | undefined;
  readonly change: (ladder: Ladder | undefined) => void;
}

function LadderChoice({ title, ladder, change }: LadderChoiceProps) {
  const choose = (value: string) => change(value === "a" || value === "b" ? value : undefined);
  return (
    <select
      aria-label={`Ladder of ${title}`}
      value={ladder ?? ""}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">none</option>
      <option value="a">A</option>
      <option value="b">B</option>
    </select>
  );
}

interface LimitProps {
  readonly limit: number | undefined;
  readonly side: "below" | "above";
  readonly change: (text: string) => void;
}

function Limit({ limit, side, change }: LimitProps) {
  const [text, setText] = useState(limit === undefined ? "" : String(limit));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change(text.trim());
  };
  return (
    <form className="limit" onSubmit={submit}>
      <label>
        Count frames {side}{" "}
        <input
          value={text}
          size={6}
          inputMode="decimal"
          onChange={({ target }) => setText(target.value)}
          onBlur={() => change(text.trim())}
        />
      </label>
    </form>
  );
}
