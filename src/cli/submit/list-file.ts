/** Reads many jobs from a file: JSON lines, or CSV with a header. */
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { create, fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import {
  type JobSpec,
  JobSpecSchema,
  type SubmitJobRequest,
  SubmitJobRequestSchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { messageOf } from "../../platform/errors.ts";
import { Failure, type FailureCode } from "../../platform/failure.ts";
import { isObject } from "../../platform/json.ts";
import { type CsvRow, csvRows } from "../input/csv-rows.ts";
import { readText, wrongDelimiter } from "../input/read-text.ts";
import { quoteName } from "../terminal/escape.ts";
import { absolute } from "./spec.ts";

/** A job of the file, and its line number, from 1. */
export interface ListedJob {
  readonly line: number;
  readonly request: SubmitJobRequest;
}

const MAX_JOBS = 100_000;
const COLUMNS = ["reference", "distorted", "name", "model", "priority", "idempotencyKey"];
const LABEL_COLUMN = /^label:(.+)$/s;
/** What a wrong list has prevented, as the end of its message. */
export type Undone = "Nothing was submitted." | "Nothing was compared." | "Nothing was added.";
const NOT_SUBMITTED: Undone = "Nothing was submitted.";
const JOB_COLUMNS: Columns = {
  undone: NOT_SUBMITTED,
  isValid: (column) => COLUMNS.includes(column) || LABEL_COLUMN.test(column),
  text: `${COLUMNS.join(", ")}, label:KEY; for other fields use JSON lines or options`,
};

export interface List {
  readonly text: string;
  /** Base of relative paths: the file's folder, or the current one for standard input and pipes. */
  readonly folder: string;
}

/** Reads a whole file, or standard input for "-". Throws INVALID_REQUEST, or SCORE_CANCELLED if the signal aborts. */
export async function readList(
  name: string,
  stdin: NodeJS.ReadStream,
  signal: AbortSignal,
  undone = NOT_SUBMITTED,
): Promise<List> {
  const input = { what: "the list", unusable: (why: string) => unusable(name, why, { undone }) };
  return { text: await readText(name, stdin, signal, input), folder: await folderOf(name) };
}

async function folderOf(name: string): Promise<string> {
  return name !== "-" && (await stat(name)).isFile() ? dirname(resolve(name)) : process.cwd();
}

/**
 * Returns the jobs of a list, in its order. `settings` has the defaults for each line. A line without an idempotency
 * key gets `keyPrefix` with its line number. Throws a Failure that names the line.
 */
export function jobsOfList(
  name: string,
  { text, folder }: List,
  { settings, keyPrefix }: { settings: JobSpec; keyPrefix: string | undefined },
): ListedJob[] {
  const jobs: ListedJob[] = [];
  const defaults = jsonOf(settings);
  const lines = /^\s*\{/.test(text) ? jsonLines(name, text) : csvLines(name, text);
  for (const { line, given } of lines) {
    if (jobs.length === MAX_JOBS) throw unusable(name, `it lists more than ${MAX_JOBS} jobs. Split it`);
    const { idempotencyKey = keyPrefix === undefined ? "" : `${keyPrefix}/${line}`, ...own } = given;
    if (typeof idempotencyKey !== "string") throw wrongLine(name, line, "idempotencyKey is not a string");
    const spec = specOfLine(name, line, defaults, own);
    const job = { ...spec, ...filesOf(name, line, spec, folder) };
    jobs.push({ line, request: create(SubmitJobRequestSchema, { job, idempotencyKey }) });
  }
  if (jobs.length === 0)
    throw unusable(name, "it lists no jobs. Give one JSON object, or one CSV row, per job");
  return jobs;
}

interface Line {
  readonly line: number;
  readonly given: JsonObject;
}

function* jsonLines(name: string, text: string): Generator<Line> {
  let line = 0;
  for (const source of text.split("\n")) {
    line++;
    if (source.trim() === "") continue;
    const given = parsed(name, line, source);
    if (!isObject(given)) throw wrongLine(name, line, "it is not a JSON object");
    yield { line, given };
  }
}

function parsed(name: string, line: number, source: string): JsonValue {
  try {
    return JSON.parse(source) as JsonValue;
  } catch (error) {
    throw wrongLine(name, line, messageOf(error));
  }
}

function* csvLines(name: string, text: string): Generator<Line> {
  for (const { line, heading, cells } of pairRows(name, text, JOB_COLUMNS))
    yield { line, given: objectOf(name, line, heading, cells) };
}

/** The columns that a CSV list of pairs may have. */
export interface Columns {
  readonly isValid: (column: string) => boolean;
  /** Lists the columns, for messages. */
  readonly text: string;
  readonly undone: Undone;
}

interface PairRow {
  readonly line: number;
  /** The header cells, one for each cell of the row. */
  readonly heading: readonly string[];
  readonly cells: readonly string[];
}

/** Returns the rows below the header, which has the columns reference and distorted. Throws INVALID_REQUEST. */
export function* pairRows(name: string, text: string, columns: Columns): Generator<PairRow> {
  let heading: readonly string[] | undefined;
  for (const { line, cells } of rowsOf(name, text, columns)) {
    if (heading === undefined) {
      heading = checkedHeading(name, cells, columns);
      continue;
    }
    if (cells.length !== heading.length)
      throw wrongLine(
        name,
        line,
        `it has ${cells.length} cells, but the header has ${heading.length}`,
        columns,
      );
    yield { line, heading, cells };
  }
}

function* rowsOf(name: string, text: string, { undone }: Columns): Generator<CsvRow> {
  try {
    yield* csvRows(text);
  } catch (error) {
    throw unusable(name, messageOf(error), { undone });
  }
}

function checkedHeading(name: string, cells: readonly string[], columns: Columns): readonly string[] {
  const missing = ["reference", "distorted"].find((column) => !cells.includes(column));
  const delimiter = missing === undefined ? undefined : wrongDelimiter(cells);
  const unknown = cells.find((cell) => !columns.isValid(cell));
  const twice = cells.find((cell, index) => cells.indexOf(cell) !== index);
  const known = `Valid columns: ${columns.text}`;
  const wrong = (why: string) => wrongLine(name, 1, why, columns);
  if (delimiter !== undefined)
    throw wrong(`the header is separated by ${delimiter}: separate the columns with commas`);
  if (missing !== undefined) throw wrong(`the header has no column "${missing}". ${known}`);
  if (unknown !== undefined) throw wrong(`${quoteName(unknown)} isn't a valid column. ${known}`);
  if (twice !== undefined) throw wrong(`the column ${quoteName(twice)} is given twice`);
  return cells;
}

/** Returns the fields of a row; an empty cell sets nothing. */
function objectOf(
  name: string,
  line: number,
  heading: readonly string[],
  cells: readonly string[],
): JsonObject {
  const given: JsonObject = {};
  const labels: JsonObject = {};
  for (const [index, column] of heading.entries()) {
    const cell = cells[index] ?? "";
    if (cell === "") continue;
    const label = LABEL_COLUMN.exec(column)?.[1];
    if (label !== undefined) labels[label] = cell;
    else if (column === "priority") given[column] = wholeNumber(name, line, cell);
    else given[column] = cell;
  }
  return Object.keys(labels).length > 0 ? { ...given, labels } : given;
}

function wholeNumber(name: string, line: number, cell: string): number {
  if (/^-?\d{1,9}$/.test(cell)) return Number(cell);
  throw wrongLine(name, line, `priority ${quoteName(cell)} is not a whole number`);
}

function specOfLine(name: string, line: number, defaults: JsonObject, own: JsonObject): JobSpec {
  const { model: _, models: __, ...others } = defaults;
  const namesModel = "model" in own || "models" in own;
  const labels = isObject(own["labels"])
    ? { ...asObject(defaults["labels"]), ...own["labels"] }
    : own["labels"];
  const merged = { ...(namesModel ? others : defaults), ...own, ...(labels !== undefined && { labels }) };
  let spec: JobSpec;
  try {
    spec = fromJson(JobSpecSchema, merged);
  } catch (error) {
    throw wrongLine(name, line, messageOf(error));
  }
  const missing = spec.reference === "" ? "reference" : spec.distorted === "" ? "distorted" : undefined;
  if (missing !== undefined) throw wrongLine(name, line, `${missing} is missing`);
  return spec;
}

function filesOf(
  name: string,
  line: number,
  { reference, distorted }: JobSpec,
  folder: string,
): Pick<JobSpec, "reference" | "distorted"> {
  try {
    return {
      reference: absolute("reference", reference, folder),
      distorted: absolute("distorted", distorted, folder),
    };
  } catch (thrown) {
    const { message, code } = Failure.from(thrown);
    throw wrongLine(name, line, message.replace(/\.$/, ""), { code });
  }
}

function jsonOf(settings: JobSpec): JsonObject {
  return asObject(toJson(JobSpecSchema, settings) as JsonValue);
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

interface Fault {
  /** INVALID_REQUEST if undefined. */
  readonly code?: FailureCode | undefined;
  readonly undone?: Undone;
}

/** `why` has no full stop. */
export function wrongLine(name: string, line: number, why: string, { code, undone }: Fault = {}): Failure {
  return unusable(name, `line ${line}: ${why}`, { code, ...(undone && { undone }) });
}

function unusable(name: string, why: string, { code, undone = NOT_SUBMITTED }: Fault = {}): Failure {
  const where = name === "-" ? "standard input" : quoteName(name);
  return new Failure(code ?? "INVALID_REQUEST", `--from: ${where} cannot be used: ${why}. ${undone}`);
}
