/** Reads the encodes to compare from CSV: the columns ladder, clip, rate and size, and one for each metric. */
import { messageOf } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import type { Encode, PictureSize } from "../../rates/points.ts";
import { csvRows } from "../input/csv-rows.ts";
import { wrongDelimiter } from "../input/read-text.ts";
import { quoteName } from "../terminal/escape.ts";

export interface PointsTable {
  readonly encodes: readonly Encode[];
  /** Names of the score columns, in the order of an encode's scores. */
  readonly metrics: readonly string[];
  /** Columns that hold something other than scores. */
  readonly ignored: readonly string[];
}

const MAX_ROWS = 100_000;
const PLACES = ["ladder", "clip", "rate"] as const;
type Place = (typeof PLACES)[number];
/** The column of picture sizes, if it has one. */
const SIZE = "size";
const COLUMNS = `Give a header with the columns ladder, rate, clip if there are several, and one for each metric`;
const PICTURE_SIZE = /^([1-9]\d{0,5}) ?[x×] ?([1-9]\d{0,5})$/i;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** What programs print if there is no score. */
const NOT_FINITE = /^([+-]?(nan|inf|infinity)|n\/?a|)$/i;

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

interface Header {
  readonly at: ReadonlyMap<Place, number>;
  /** Index of the column of picture sizes; undefined: there is none. */
  readonly size: number | undefined;
  /** Indexes and names of the other columns. */
  readonly others: readonly (readonly [index: number, name: string])[];
}

/** Parses the table. `asked`: the metrics to read; empty: every column with a number. Throws INVALID_REQUEST. */
export function parsePoints(name: string, text: string, asked: readonly string[]): PointsTable {
  const [first, ...rows] = rowsOf(name, text);
  if (first === undefined) throw unusable(name, `it is empty. ${COLUMNS}`);
  const header = headerOf(name, first, rows);
  if (rows.length === 0) throw unusable(name, "it has a header, but no rows");
  const uneven = rows.find(({ cells }) => cells.length !== first.cells.length);
  if (uneven !== undefined) {
    const [own, all] = [uneven.cells.length, first.cells.length];
    throw wrongLine(name, uneven.line, `it has ${own} cells, but the header has ${all}`);
  }
  const columns = metricsOf(name, header, rows, asked);
  const indexes = new Set(columns.map(([index]) => index));
  return {
    encodes: rows.map((row) => encodeOf(name, row, header, columns)),
    metrics: columns.map(([, metric]) => metric),
    ignored:
      asked.length > 0 ? [] : header.others.flatMap(([index, column]) => (indexes.has(index) ? [] : column)),
  };
}

function rowsOf(name: string, text: string): readonly Row[] {
  const rows: Row[] = [];
  try {
    for (const { line, cells } of csvRows(text)) {
      const trimmed = cells.map((cell) => cell.trim());
      if (rows.length > MAX_ROWS) throw unusable(name, `it has more than ${MAX_ROWS} rows. Split it by clip`);
      if (trimmed.some((cell) => cell !== "")) rows.push({ line, cells: trimmed });
    }
  } catch (error) {
    throw error instanceof Failure ? error : unusable(name, messageOf(error));
  }
  return rows;
}

function headerOf(name: string, { line, cells }: Row, rows: readonly Row[]): Header {
  const fail = (why: string) => wrongLine(name, line, why);
  const columns = cells.map((cell) => PLACES.find((place) => place === cell.toLowerCase()) ?? cell);
  const missing = ["ladder", "rate"].find((place) => !columns.includes(place));
  const delimiter = missing === undefined ? undefined : wrongDelimiter(cells);
  if (delimiter !== undefined)
    throw fail(`the header is separated by ${delimiter}: separate the columns with commas`);
  if (missing !== undefined) throw fail(`the header has no column "${missing}". ${COLUMNS}`);
  if (columns.includes("")) throw fail("a column of the header has no name");
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw fail(`the column ${quoteName(twice)} is given twice`);
  const isPlace = (column: string) => PLACES.some((place) => place === column);
  const size = sizeColumn(columns, rows);
  return {
    size,
    at: new Map(
      PLACES.flatMap((place) => (columns.includes(place) ? [[place, columns.indexOf(place)] as const] : [])),
    ),
    others: [...columns.entries()].filter(([index, column]) => !isPlace(column) && index !== size),
  };
}

/** A column of this name can also hold something else, such as the bytes of a file. */
function sizeColumn(columns: readonly string[], rows: readonly Row[]): number | undefined {
  const index = columns.findIndex((column) => column.toLowerCase() === SIZE);
  return rows.some(({ cells }) => PICTURE_SIZE.test(cells[index] ?? "")) ? index : undefined;
}

/**
 * Returns the score columns: those named in `asked` or, if it is empty, those in which most cells are
 * numbers. The other columns are ignored.
 */
function metricsOf(
  name: string,
  { others }: Header,
  rows: readonly Row[],
  asked: readonly string[],
): Header["others"] {
  if (asked.length > 0) return [...new Set(asked)].map((metric) => columnOf(name, metric, others));
  const found = others.filter(([index]) => isMostlyNumbers(rows, index));
  if (found.length === 0) throw unusable(name, `it has no column of scores. ${COLUMNS}`);
  return found;
}

function isMostlyNumbers(rows: readonly Row[], index: number): boolean {
  let [numbers, texts] = [0, 0];
  for (const { cells } of rows) {
    const cell = cells[index] ?? "";
    if (NUMBER.test(cell)) numbers++;
    else if (!NOT_FINITE.test(cell)) texts++;
  }
  return numbers > texts;
}

function columnOf(name: string, metric: string, others: Header["others"]): Header["others"][number] {
  const found = others.find(([, column]) => column === metric);
  if (found !== undefined) return found;
  const names = others.map(([, column]) => quoteName(column)).join(", ");
  const known = names === "" ? COLUMNS : `Its columns of scores: ${names}`;
  throw unusable(name, `--metric: it has no column ${quoteName(metric)}. ${known}`);
}

function encodeOf(
  name: string,
  { line, cells }: Row,
  { at, size }: Header,
  metrics: Header["others"],
): Encode {
  const cell = (place: Place) => cells[at.get(place) ?? -1] ?? "";
  const empty = PLACES.find((place) => at.has(place) && cell(place) === "");
  if (empty !== undefined) throw wrongLine(name, line, `${empty} is empty`);
  const rate = cell("rate");
  if (!NUMBER.test(rate)) throw wrongLine(name, line, `the rate ${quoteName(rate)} is not a number`);
  if (!(Number(rate) > 0 && Number.isFinite(Number(rate))))
    throw wrongLine(name, line, `the rate ${rate} is not above 0 and finite`);
  const scores = metrics.map(([index, metric]) => {
    const score = scoreOf(cells[index] ?? "");
    if (score !== undefined) return score;
    throw wrongLine(
      name,
      line,
      `${metric} ${quoteName(cells[index] ?? "")} is not a number. --metric chooses columns`,
    );
  });
  const picture = size === undefined ? undefined : pictureSize(name, line, cells[size] ?? "");
  return { ladder: cell("ladder"), clip: cell("clip"), rate: Number(rate), size: picture, scores };
}

function pictureSize(name: string, line: number, cell: string): PictureSize {
  const [, width, height] = PICTURE_SIZE.exec(cell) ?? [];
  if (width !== undefined && height !== undefined) return { width: Number(width), height: Number(height) };
  throw wrongLine(name, line, `the size ${quoteName(cell)} is not WIDTHxHEIGHT, as in 1920x1080`);
}

/** Returns NaN or an infinite number for a cell that states one, as programs print it; undefined for any other text. */
function scoreOf(cell: string): number | undefined {
  if (NUMBER.test(cell)) return Number(cell);
  if (!NOT_FINITE.test(cell)) return undefined;
  if (!/inf/i.test(cell)) return Number.NaN;
  return cell.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function wrongLine(name: string, line: number, why: string): Failure {
  return unusable(name, `line ${line}: ${why}`);
}

/** `why` has no full stop. */
export function unusable(name: string, why: string): Failure {
  const where = name === "-" ? "Standard input" : quoteName(name);
  return new Failure("INVALID_REQUEST", `${where} cannot be compared: ${why}.`);
}
