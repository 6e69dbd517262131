/** Lines of CSV (RFC 4180, but they end with LF). */

/** A column of a table: its heading, and the value in a row; undefined: an empty cell. */
export type CsvColumn<Row> = readonly [heading: string, value: (row: Row) => string | number | undefined];

/** Yields a line for each row, after the headings. */
export function* csvTable<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: Iterable<Row>,
  heading = true,
): Generator<string> {
  if (heading) yield csvRow(columns.map(([name]) => name));
  for (const row of rows) yield csvRow(columns.map(([, value]) => String(value(row) ?? "")));
}

export function csvRow(texts: readonly string[]): string {
  return `${texts.map(cell).join(",")}\n`;
}

function cell(given: string): string {
  const text = FORMULA.test(given) && !NUMBER.test(given) ? `'${given}` : given;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A text that a spreadsheet would compute instead of showing it. An apostrophe in front prevents that; it also goes in
 * front of texts that already have one, so that readers can tell them apart.
 */
const FORMULA = /^'*[=+\-@\t\r]/;
const NUMBER = /^[+-](?:\d+\.?\d*(?:e[+-]?\d+)?|Infinity)$/i;

/** Returns the text that csvRow wrote as this cell. */
export function cellText(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}
