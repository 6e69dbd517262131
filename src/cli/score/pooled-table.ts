/** The pooled scores as a table that fits the terminal. */
import type { Pooled } from "../../engine/contract/result.ts";
import { featureNames } from "../../jobs/feature-names.ts";
import { printable } from "../terminal/escape.ts";
import { decimalsFor } from "../terminal/numbers.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import { STATS } from "./view.ts";

const GAP = "  ";

/** Returns a table with one row per metric if that fits the width, otherwise one row per statistic. */
export function pooledTable(
  pooled: Readonly<Record<string, Pooled>>,
  metrics: readonly string[],
  terminal: Terminal,
): string[] {
  const names = featureNames(metrics);
  const columns = metrics.flatMap((metric) => {
    const values = pooled[metric];
    const name = names.get(metric)?.name ?? metric;
    return values ? [{ name: printable(name), values: formatted(values) }] : [];
  });
  const wide = aligned([
    ["", ...STATS.map(([, heading]) => heading)],
    ...columns.map(({ name, values }) => [name, ...values]),
  ]);
  if (fits(wide, terminal)) return headed(wide, terminal);
  return tallTables(columns, terminal);
}

/** Returns lines that explain the short names of features in the table: metric and meaning. */
export function featureLegend(metrics: readonly string[], terminal: Terminal): string[] {
  return [...featureNames(metrics)].flatMap(([metric, { name, meaning }]) =>
    wrap(`${name}: ${meaning}. Metric: ${metric}`, terminal.columns, "  ").map((line) =>
      paint(terminal, "dim", printable(line)),
    ),
  );
}

interface Column {
  readonly name: string;
  readonly values: readonly string[];
}

/** Returns tables with statistics as rows and as many metrics as fit as columns. */
function tallTables(columns: readonly Column[], terminal: Terminal): string[] {
  const lines: string[] = [];
  let rest = columns;
  while (rest.length > 0) {
    let count = rest.length;
    while (count > 1 && !fits(tall(rest.slice(0, count)), terminal)) count--;
    if (lines.length > 0) lines.push("");
    lines.push(...headed(tall(rest.slice(0, count)), terminal));
    rest = rest.slice(count);
  }
  return lines;
}

function tall(columns: readonly Column[]): string[] {
  return aligned([
    ["", ...columns.map(({ name }) => name)],
    ...STATS.map(([, heading], row) => [heading, ...columns.map(({ values }) => values[row] ?? "")]),
  ]);
}

function formatted(pooled: Pooled): string[] {
  const decimals = decimalsFor(pooled.max);
  return STATS.map(([stat]) => pooled[stat].toFixed(decimals));
}

/** Aligns the first column left, the others right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join(GAP),
  );
}

function fits(lines: readonly string[], terminal: Terminal): boolean {
  return lines.every((line) => line.length <= terminal.columns);
}

function headed(lines: readonly string[], terminal: Terminal): string[] {
  return lines.map((line, index) => (index === 0 ? paint(terminal, "dim", line) : line));
}
