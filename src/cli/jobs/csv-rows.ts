/** CSV as spreadsheets write it (RFC 4180): cells in quotes may hold commas, quotes and line breaks. */

export interface CsvRow {
  /** Line on which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** One cell, and what ends it. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/;

/** The rows, without empty lines. Throws an Error that tells the line where the text is no CSV. */
export function* csvRows(text: string): Generator<CsvRow> {
  const next = new RegExp(CELL, "y");
  let line = 1;
  let start = 1;
  let cells: string[] = [];
  while (next.lastIndex < text.length || cells.length > 0) {
    const match = next.exec(text);
    if (match === null) throw new Error(`line ${line}: a quote is not closed, or stands inside a cell`);
    const [whole, quoted, plain = "", end] = match;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === ",") continue;
    const empty = cells.length === 1 && cells[0] === "" && quoted === undefined;
    if (!empty) yield { line: start, cells };
    cells = [];
    start = line;
  }
}
