/** The faults of the ladders' rungs: wasted, misplaced or missing ones. */
import { comparisonRungs } from "../../../src/report/rungs.ts";
import { nameOf } from "../chart/metric-name.tsx";
import type { Comparison } from "./comparison-view.ts";

/** Notes that are shown before the list is expanded. */
const SHOWN = 6;

export function RungList({ comparison, clip }: { readonly comparison: Comparison; readonly clip: string }) {
  const { cells = [] } = comparison;
  const own = cells.filter((cell) => cell.clip === clip);
  const { metric = "", notes = [] } = comparisonRungs({ ...comparison, cells: own }) ?? {};
  if (notes.length === 0) return null;
  const items = notes.map(({ ladder, text }) => (
    <li key={`${ladder} ${text}`}>
      <bdi>{ladder}</bdi>: <bdi>{text}</bdi>
    </li>
  ));
  return (
    <section className="card" aria-label="Rungs">
      <h2>
        Rungs of {clip}, by {nameOf(metric, [metric])}
      </h2>
      <ul className="rungs">{items.slice(0, SHOWN)}</ul>
      {items.length > SHOWN && (
        <details>
          <summary>{items.length - SHOWN} more</summary>
          <ul className="rungs">{items.slice(SHOWN)}</ul>
        </details>
      )}
    </section>
  );
}
