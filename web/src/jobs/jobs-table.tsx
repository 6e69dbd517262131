/** The jobs of a query as a table, or as cards on narrow screens. Only visible rows are rendered. */
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { useMedia } from "../ui/media.ts";
import { CardsHead } from "./cards-head.tsx";
import type { Job } from "./job-facts.ts";
import { type JobQuery, type Sort, sortedBy } from "./job-query.ts";
import { JobCard, JobRow, type RowActions } from "./job-row.tsx";
import { SelectAll } from "./select-all.tsx";
import type { Selection } from "./selection.ts";

/** Pixels; must match style/jobs/table.css and cards.css. */
const ROW_HEIGHT = 60;
const CARD_HEIGHT = 180;
/** Must match style/jobs/page.css and cards.css. */
const NARROW = "(max-width: 1100px)";

interface JobsTableProps {
  readonly jobs: readonly Job[];
  readonly query: JobQuery;
  readonly change: (query: JobQuery) => void;
  readonly selection: Selection;
  readonly actions: RowActions;
}

export function JobsTable(props: JobsTableProps) {
  return useMedia(NARROW) ? <Cards {...props} /> : <Table {...props} />;
}

function Table({ jobs, query, change, selection, actions }: JobsTableProps) {
  const table = useRef<HTMLTableElement>(null);
  const { items, before, after } = useRowsInSight(jobs.length, ROW_HEIGHT, table);
  return (
    <table className="jobs-table" ref={table} aria-rowcount={jobs.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          <th className="for-box">
            <SelectAll jobs={jobs} selection={selection} />
          </th>
          <SortHeader {...{ query, change }} sort="name" className="for-name">
            Name
          </SortHeader>
          <SortHeader {...{ query, change }} sort="state" className="for-state">
            State
          </SortHeader>
          <th className="for-progress">Progress</th>
          <SortHeader {...{ query, change }} sort="score" className="for-score number">
            Score
          </SortHeader>
          <SortHeader {...{ query, change }} sort="rate" className="for-video number">
            Bit rate
          </SortHeader>
          <th className="for-model for-wide">Model</th>
          <SortHeader {...{ query, change }} sort="age" className="for-age">
            Age
          </SortHeader>
          <th className="for-labels">Labels</th>
          {actions.cancel !== undefined && <th className="for-action">Action</th>}
        </tr>
      </thead>
      <Space height={before} />
      <tbody>
        {items.map((index) => {
          const job = jobs[index];
          if (job === undefined) return null;
          const isSelected = selection.ids.has(job.id);
          return <JobRow key={job.id} labels={query.labels} {...{ job, index, isSelected, actions }} />;
        })}
      </tbody>
      <Space height={after} />
    </table>
  );
}

/** A spacer with the height of rows that are not rendered. */
function Space({ height }: { readonly height: number }) {
  return (
    <tbody aria-hidden="true">
      <tr style={{ height }} />
    </tbody>
  );
}

function Cards({ jobs, query, selection, actions }: JobsTableProps) {
  const list = useRef<HTMLUListElement>(null);
  const { items, before, after } = useRowsInSight(jobs.length, CARD_HEIGHT, list);
  return (
    <>
      <CardsHead {...{ jobs, selection }} />
      <ul className="job-cards" ref={list} style={{ paddingTop: before, paddingBottom: after }}>
        {items.map((index) => {
          const job = jobs[index];
          if (job === undefined) return null;
          const isSelected = selection.ids.has(job.id);
          return <JobCard key={job.id} labels={query.labels} {...{ job, index, isSelected, actions }} />;
        })}
      </ul>
    </>
  );
}

interface RowsInSight {
  /** Their indexes. */
  readonly items: readonly number[];
  /** Pixels. */
  readonly before: number;
  readonly after: number;
}

function useRowsInSight(count: number, height: number, rows: RefObject<HTMLElement | null>): RowsInSight {
  const [top, setTop] = useState(0);
  // Content above the rows may have appeared or disappeared.
  useLayoutEffect(() => {
    const { top = 0 } = rows.current?.getBoundingClientRect() ?? {};
    setTop(Math.round(top + scrollY));
  });
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => height,
    overscan: 8,
    scrollMargin: top,
  });
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const next = first + items.length;
  return {
    items: items.map(({ index }) => index),
    before: first * height,
    after: Math.max(0, count - next) * height,
  };
}

interface SortHeaderProps {
  readonly query: JobQuery;
  readonly change: (query: JobQuery) => void;
  readonly sort: Sort;
  readonly className: string;
  readonly children: ReactNode;
}

function SortHeader({ query, change, sort, className, children }: SortHeaderProps) {
  const isSorted = query.sort === sort;
  const direction = query.descending ? "descending" : "ascending";
  return (
    <th className={className} aria-sort={isSorted ? direction : undefined}>
      <button type="button" className="sort" onClick={() => change(sortedBy(query, sort))}>
        {children}
        {isSorted && <span aria-hidden="true">{query.descending ? "↓" : "↑"}</span>}
      </button>
    </th>
  );
}
