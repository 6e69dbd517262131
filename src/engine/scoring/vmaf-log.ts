/** Reads libvmaf's per-frame log (CSV) to six decimals, line by line, so that its length does not matter. */
import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { Failure } from "../../platform/failure.ts";
import { FrameTable, MICRO } from "../frames/frame-table.ts";
import { splitLines } from "../sandbox/lines.ts";
import type { PassModel } from "./passes.ts";
import { modelKey } from "./scorer.ts";

type LoggedModel = Pick<PassModel, "metric" | "index">;

/** Whether the scorer wrote a log; it writes none if there was no pair of frames. */
export function isWritten(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Bytes per read: small, so that a log of 100 MB leaves little garbage at a time. */
const READ_BYTES = 16 * 1024;

/**
 * Parses a log into a table. The log has the header "Frame,<metric>,…," and per frame its number and values. Columns of
 * models are renamed to their metrics; the others keep libvmaf's names. The order of the log's columns changes from run
 * to run: the table has the models first, in the order of the request, then the others by name.
 */
export async function readLog(
  path: string,
  models: readonly LoggedModel[],
  expectedRows: number,
): Promise<FrameTable> {
  let table: FrameTable | undefined;
  let order: readonly number[] = [];
  await splitLines(createReadStream(path, { highWaterMark: READ_BYTES }), (line) => {
    const fields = line.split(",");
    // Every line ends with a comma: one that does not is truncated, perhaps within the digits of its last value.
    if (fields.pop() !== "") throw cutOff();
    if (table === undefined) {
      const names = fields.map((column) => metricName(column, models));
      refuseSameNames(names);
      order = tableOrder(names, models);
      table = new FrameTable(
        order.map((column) => names[column] ?? ""),
        expectedRows,
      );
    } else if (fields.length === order.length + 1) {
      table.append(
        Number(fields[0]),
        order.map((column) => sixDecimals(fields[column])),
      );
    } else {
      throw cutOff();
    }
  });
  if (table === undefined) throw new Failure("SCORER_FAILED", "The scorer wrote an empty log.");
  return table;
}

/**
 * Reads a value to six decimals. libvmaf 3.1 and later prints more decimals for a value that six would show
 * as a whole number: 1.0000002997872111.
 */
function sixDecimals(text: string | undefined): number {
  const value = Number(text);
  const micro = Math.round(value * MICRO);
  return Number.isSafeInteger(micro) ? micro / MICRO : value;
}

function cutOff(): Failure {
  return new Failure("SCORER_FAILED", "The scorer's log is truncated in the middle of a line.");
}

/** A model's file can have the name of another metric of the request. */
function refuseSameNames(names: readonly string[]): void {
  const twice = names.find((name, column) => names.indexOf(name) !== column);
  if (twice === undefined) return;
  throw new Failure(
    "INVALID_REQUEST",
    `A model has the name of the metric ${twice}, so their values cannot be distinguished. Rename the model's file, or request it alone.`,
  );
}

/** Returns the log's columns in the order of the table. Column 0 is the frame number. */
function tableOrder(names: readonly string[], models: readonly LoggedModel[]): readonly number[] {
  const rank = (name: string): number => {
    const index = models.findIndex((model) => model.metric === name);
    return index < 0 ? models.length : index;
  };
  const columns = names.map((name, column) => ({ name, column })).slice(1);
  columns.sort((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
  return columns.map(({ column }) => column);
}

/**
 * Options that libvmaf appends to the names of CAMBI. They are facts about the pair that the result states
 * elsewhere.
 */
const ENCODE_OPTIONS = /_enc(?:bd|h|w)_\d+/g;

/** Maps m0 to vmaf and m1_bagging to NAME_bagging (values that bootstrap models add). */
function metricName(column: string, models: readonly LoggedModel[]): string {
  for (const { index, metric } of models) {
    const key = modelKey(index);
    if (column === key) return metric;
    if (column.startsWith(`${key}_`)) return `${metric}${column.slice(key.length)}`;
  }
  return column.replace(ENCODE_OPTIONS, "");
}
