/** Parses CSV as spreadsheets and csvRow write it (RFC 4180): quoted cells may contain commas, quotes and line breaks. */
import { cellText } from "../../jobs/text/csv-row.ts";

export interface CsvRow {
  /** First line of the row, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** One cell and its delimiter. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/;

/** Returns the rows, without empty lines. Throws an Error with the line number if the text isn't valid CSV. */
export function* csvRows(text: string): Generator<CsvRow> {
  const next = new RegExp(CELL, "y");
  let line = 1;
  let start = 1;
  let cells: string[] = [];
  while (next.lastIndex < text.length || cells.length > 0) {
    const match = next.exec(text);
    if (match === null) throw new Error(`line ${line}: a quote is not closed, or is inside an unquoted cell`);
    const [whole, quoted, plain = "", end] = match;
    cells.push(cellText(quoted === undefined ? plain : quoted.replaceAll('""', '"')));
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === ",") continue;
    const empty = cells.length === 1 && cells[0] === "" && quoted === undefined;
    if (!empty) yield { line: start, cells };
    cells = [];
    start = line;
  }
}
