/** The faults of the ladders' rungs: wasted, misplaced or missing ones. */

import { rungsCsv } from "../../../src/report/csv/rungs.ts";
import { briefNotes } from "../../../src/report/rung-groups.ts";
import { comparisonRungs, type RungNote } from "../../../src/report/rungs.ts";
import { nameOf } from "../chart/metric-name.tsx";
import { DownloadCsv } from "../ui/save.tsx";
import { type Comparison, fileOf } from "./comparison-view.ts";

/** Limit of notes that are shown one by one; of more, the worst of each ladder and kind are shown. */
const SHOWN = 6;

export function RungList({ comparison, clip }: { readonly comparison: Comparison; readonly clip: string }) {
  const { cells = [] } = comparison;
  const own = cells.filter((cell) => cell.clip === clip);
  const { metric = "", notes = [] } = comparisonRungs({ ...comparison, cells: own }) ?? {};
  if (notes.length === 0) return null;
  return (
    <section className="card" aria-label="Rungs">
      <div className="section-head">
        <h2>
          Rungs of {clip}, by {nameOf(metric, [metric])}
        </h2>
        <DownloadCsv of="rungs" name={fileOf(comparison, "rungs")} lines={() => rungsCsv(notes, metric)} />
      </div>
      <Notes notes={briefNotes(notes, SHOWN)} />
      {notes.length > SHOWN && (
        <details>
          <summary>All {notes.length}</summary>
          <Notes notes={notes} />
        </details>
      )}
    </section>
  );
}

function Notes({ notes }: { readonly notes: readonly Pick<RungNote, "ladder" | "text">[] }) {
  return (
    <ul className="rungs">
      {notes.map(({ ladder, text }) => (
        <li key={`${ladder} ${text}`}>
          <bdi>{ladder}</bdi>: <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  );
}
