/** The comparison table: columns, order of rows, and best values. */
import type { CsvColumn } from "../../../src/jobs/text/csv-row.ts";
import type { Better } from "../chart/data/metrics.ts";
import type { Compared } from "./compared.ts";

const COLUMNS = [
  { key: "score", name: "Score" },
  { key: "harmonic", name: "Harmonic" },
  { key: "min", name: "Min" },
  { key: "max", name: "Max" },
  { key: "p1", name: "P1" },
  { key: "p5", name: "P5" },
  { key: "p10", name: "P10" },
  { key: "size", name: "Size" },
  { key: "rate", name: "Bit rate" },
  { key: "beyond", name: "Below" },
] as const;

export type ColumnKey = (typeof COLUMNS)[number]["key"];

/** Returns the columns for a metric; of minimum and maximum only the worse one. */
export function columnsOf(better: Better): readonly (typeof COLUMNS)[number][] {
  const absent = better === "lower" ? "min" : "max";
  return COLUMNS.filter(({ key }) => key !== absent);
}

/** Whether higher or lower values of a column are better, for the compared metric. */
function betterIn(key: ColumnKey | "name", metric: Better): Better {
  if (key === "name") return undefined;
  return key === "size" || key === "rate" || key === "beyond" ? "lower" : metric;
}

export interface Row {
  readonly of: Compared;
  /** undefined: no value. */
  readonly values: Readonly<Record<ColumnKey, number | undefined>>;
}

/** `beyond`: number of frames of the job that are worse than the limit; undefined if unknown. */
export function rowOf(of: Compared, beyond: number | undefined): Row {
  const { pooled, bytes, rate } = of;
  return {
    of,
    values: {
      score: pooled?.mean,
      harmonic: pooled?.harmonicMean,
      min: pooled?.min,
      max: pooled?.max,
      p1: pooled?.p1,
      p5: pooled?.p5,
      p10: pooled?.p10,
      size: bytes,
      rate,
      beyond,
    },
  };
}

/** The columns of the table as CSV; size in bytes, rate in bits per second. */
export function csvColumns(metric: string): readonly CsvColumn<Row>[] {
  return [
    ["job", ({ of }) => of.id],
    ["name", ({ of }) => of.title],
    ["ladder", ({ of }) => of.ladder],
    ["metric", () => metric],
    ["mean", ({ values }) => values.score],
    ["harmonic_mean", ({ values }) => values.harmonic],
    ["min", ({ values }) => values.min],
    ["p1", ({ values }) => values.p1],
    ["p5", ({ values }) => values.p5],
    ["p10", ({ values }) => values.p10],
    ["max", ({ values }) => values.max],
    ["size", ({ values }) => values.size],
    ["rate", ({ values }) => values.rate],
    ["beyond", ({ values }) => values.beyond],
  ];
}

export interface Sorting {
  readonly key: ColumnKey | "name" | "number";
  readonly descending: boolean;
}

export function sortingOf(text: string | null): Sorting {
  const descending = text?.startsWith("-") ?? false;
  const name = descending ? text?.slice(1) : text;
  const key = [...COLUMNS.map((column) => column.key), "name" as const].find((known) => known === name);
  return key === undefined ? { key: "number", descending: false } : { key, descending };
}

/** undefined for the default order. */
export function sortText({ key, descending }: Sorting): string | undefined {
  return key === "number" ? undefined : `${descending ? "-" : ""}${key}`;
}

/** Selecting another column starts with its best value; the same column reverses, then restores the default order. */
export function sortedBy(sorting: Sorting, key: ColumnKey | "name", metric: Better): Sorting {
  const isHigher = betterIn(key, metric) === "higher";
  if (sorting.key !== key) return { key, descending: isHigher };
  return sorting.descending === isHigher
    ? { key, descending: !isHigher }
    : { key: "number", descending: false };
}

/** Rows without a value come last in either direction. */
export function inOrder(rows: readonly Row[], { key, descending }: Sorting): readonly Row[] {
  const turn = descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const byNumber = one.of.number - other.of.number;
    if (key === "number") return byNumber;
    if (key === "name") return turn * NAMES.compare(one.of.title, other.of.title) || byNumber;
    const [mine, others] = [one.values[key], other.values[key]];
    if (mine === undefined || others === undefined)
      return Number(mine === undefined) - Number(others === undefined) || byNumber;
    return turn * (mine - others) || byNumber;
  });
}

const NAMES = new Intl.Collator("en", { numeric: true });

/** The best value of a column; undefined if all values are equal or neither direction is better. */
export function bestOf(rows: readonly Row[], key: ColumnKey, metric: Better): number | undefined {
  const better = betterIn(key, metric);
  const values = rows.map((row) => row.values[key]).filter((value) => value !== undefined);
  if (better === undefined || new Set(values).size < 2) return undefined;
  return better === "higher" ? Math.max(...values) : Math.min(...values);
}
