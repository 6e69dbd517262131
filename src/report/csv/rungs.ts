/** The faults of ladders' rungs as CSV. */
import { type CsvColumn, csvTable } from "../../jobs/text/csv-row.ts";
import type { RungNote } from "../rungs.ts";

/** Returns a line for each fault. `metric`: judges the rungs. */
export function rungsCsv(notes: Iterable<RungNote>, metric: string): Generator<string> {
  const columns: readonly CsvColumn<RungNote>[] = [
    ["ladder", ({ ladder }) => ladder],
    ["clip", ({ clip }) => clip],
    ["metric", () => metric],
    ["fault", ({ fault }) => fault.kind],
    ["rate", ({ fault }) => fault.rung.rate],
    ["score", ({ fault }) => fault.rung.score],
    ["other_rate", ({ fault }) => fault.other.rate],
    ["other_score", ({ fault }) => fault.other.score],
    ["points", ({ fault }) => fault.points],
    ["missing_rate", ({ fault }) => fault.rate],
    ["text", ({ text }) => text],
  ];
  return csvTable(columns, notes);
}
