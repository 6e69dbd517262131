/** The pairs to compare: from the arguments, from patterns of ladders, or from a list. */
import { glob } from "node:fs/promises";
import { remoteName } from "../../jobs/media/names.ts";
import { MAX_CELLS } from "../../jobs/request-limits.ts";
import { messageOf } from "../../platform/errors.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import { csvRows } from "../input/csv-rows.ts";
import { wrongDelimiter } from "../input/read-text.ts";
import { type List, readList, wrongLine } from "../submit/list-file.ts";
import { absolute } from "../submit/spec.ts";
import { quoteName } from "../terminal/escape.ts";
import type { LadderFiles } from "./options.ts";

/** Absolute paths, or names of objects; an empty ladder or clip is derived. */
export interface Pair {
  /** Line of the list; 1 without a list. */
  readonly line: number;
  readonly reference: string;
  readonly distorted: string;
  readonly ladder: string;
  readonly clip: string;
}

export interface Asked {
  readonly reference: string | undefined;
  readonly encodes: readonly string[];
  readonly ladders: readonly LadderFiles[];
  readonly from: string | undefined;
}

/** Throws INVALID_REQUEST, or SCORE_CANCELLED if the signal aborts. */
export async function pairsOf(asked: Asked, signal: AbortSignal): Promise<readonly Pair[]> {
  const pairs = asked.from === undefined ? await given(asked) : await listed(asked.from, asked, signal);
  if (pairs.length > MAX_CELLS)
    throw invalid(`These are ${pairs.length} encodes; at most ${MAX_CELLS} can be compared at once.`);
  const seen = new Set<string>();
  for (const { reference, distorted } of pairs) {
    const key = JSON.stringify([reference, distorted]);
    if (seen.has(key)) throw invalid(`${quoteName(distorted)} is given twice for the same reference.`);
    seen.add(key);
  }
  return pairs;
}

async function given({ reference, encodes, ladders }: Asked): Promise<readonly Pair[]> {
  if (reference === undefined || encodes.length + ladders.length === 0)
    throw invalid("Give a reference and its encodes, or --ladder NAME=FILES, or a list with --from FILE.");
  const of = (distorted: string, ladder: string): Pair => ({
    ...{ line: 1, ladder, clip: "" },
    reference: absolute("reference", reference),
    distorted: absolute("distorted", distorted),
  });
  const ofLadders = ladders.map(async ({ ladder, files }) =>
    (await matching(ladder, files)).map((distorted) => of(distorted, ladder)),
  );
  return [...encodes.map((distorted) => of(distorted, "")), ...(await Promise.all(ofLadders)).flat()];
}

/** Returns the files of a pattern by name; the name itself if it has no wildcard, or is that of an object. */
async function matching(ladder: string, files: string): Promise<readonly string[]> {
  if (!/[*?[{]/.test(files) || remoteName(files) !== undefined) return [files];
  const found: string[] = [];
  for await (const file of glob(files)) found.push(file);
  if (found.length > 0) return found.toSorted();
  throw invalid(`--ladder ${quoteName(ladder)}: no file matches ${quoteName(files)}.`);
}

const COLUMNS = ["reference", "distorted", "ladder", "clip"] as const;
type Column = (typeof COLUMNS)[number];

async function listed(
  name: string,
  { reference, encodes, ladders }: Asked,
  signal: AbortSignal,
): Promise<readonly Pair[]> {
  if (reference !== undefined || encodes.length + ladders.length > 0)
    throw invalid("Give encodes or --from FILE, not both.");
  const pairs = pairsOfList(name, await readList(name, process.stdin, signal));
  if (pairs.length === 0) throw wrongLine(name, 1, "below it there are no encodes");
  return pairs;
}

/** Paths are relative to the folder of the list. */
function pairsOfList(name: string, { text, folder }: List): readonly Pair[] {
  let heading: readonly string[] | undefined;
  const pairs: Pair[] = [];
  try {
    for (const { line, cells } of csvRows(text)) {
      if (heading === undefined) heading = checkedHeading(name, cells);
      else pairs.push(pairOfRow(name, line, folder, heading, cells));
    }
  } catch (error) {
    throw error instanceof Failure ? error : wrongLine(name, 1, messageOf(error));
  }
  return pairs;
}

function checkedHeading(name: string, cells: readonly string[]): readonly string[] {
  const missing = ["reference", "distorted"].find((column) => !cells.includes(column));
  const delimiter = missing === undefined ? undefined : wrongDelimiter(cells);
  const unknown = cells.find((cell) => !COLUMNS.some((column) => column === cell));
  const twice = cells.find((cell, index) => cells.indexOf(cell) !== index);
  const known = `Valid columns: ${COLUMNS.join(", ")}`;
  if (delimiter !== undefined)
    throw wrongLine(name, 1, `the header is separated by ${delimiter}: separate the columns with commas`);
  if (missing !== undefined) throw wrongLine(name, 1, `the header has no column "${missing}". ${known}`);
  if (unknown !== undefined) throw wrongLine(name, 1, `${quoteName(unknown)} isn't a valid column. ${known}`);
  if (twice !== undefined) throw wrongLine(name, 1, `the column ${quoteName(twice)} is given twice`);
  return cells;
}

function pairOfRow(
  name: string,
  line: number,
  folder: string,
  heading: readonly string[],
  cells: readonly string[],
): Pair {
  if (cells.length !== heading.length)
    throw wrongLine(name, line, `it has ${cells.length} cells, but the header has ${heading.length}`);
  const cell = (column: Column) => cells[heading.indexOf(column)] ?? "";
  const empty = (["reference", "distorted"] as const).find((column) => cell(column) === "");
  if (empty !== undefined) throw wrongLine(name, line, `${empty} is missing`);
  return {
    ...{ line, ladder: cell("ladder"), clip: cell("clip") },
    reference: absolute("reference", cell("reference"), folder),
    distorted: absolute("distorted", cell("distorted"), folder),
  };
}
