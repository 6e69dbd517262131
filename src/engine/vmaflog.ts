/** Reads the per-frame log that libvmaf writes (CSV, six decimals), however long, line by line. */
import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { Failure } from "../platform/failure.ts";
import { FrameTable } from "./frames.ts";
import { splitLines } from "./lines.ts";
import type { Model } from "./models.ts";
import { modelKey } from "./scorer.ts";

/** Whether the scorer wrote a log: it writes none where no pair of frames was there. */
export function isWritten(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Bytes that are read at a time: small, so that a log of 100 MB leaves little garbage at a time. */
const PIECE = 16 * 1024;

/**
 * The table of a log: "Frame,<metric>,…," and per frame its number and values. Columns
 * of models are renamed to their metrics, the others keep libvmaf's names. The log's
 * order of columns changes from run to run: the table has the models first, as
 * requested, then the others by name.
 */
export async function readLog(
  path: string,
  models: readonly Model[],
  expectedRows: number,
): Promise<FrameTable> {
  let table: FrameTable | undefined;
  let order: readonly number[] = [];
  await splitLines(createReadStream(path, { highWaterMark: PIECE }), (line) => {
    const fields = line.split(",");
    // Every line ends with a comma: one that does not was cut off, perhaps in the digits of its last value.
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
        order.map((column) => Number(fields[column])),
      );
    } else {
      throw cutOff();
    }
  });
  if (table === undefined) throw new Failure("SCORER_FAILED", "The scorer wrote an empty log.");
  return table;
}

function cutOff(): Failure {
  return new Failure("SCORER_FAILED", "The scorer's log is cut off in the middle of a line.");
}

/** A model's file can be named like a metric that stands beside it. */
function refuseSameNames(names: readonly string[]): void {
  const twice = names.find((name, column) => names.indexOf(name) !== column);
  if (twice === undefined) return;
  throw new Failure(
    "INVALID_REQUEST",
    `A model has the name of the metric ${twice}, so their values cannot be told apart. Rename the model's file, or ask for it alone.`,
  );
}

/** Columns of the log (column 0 is the frame's number) in the order of the table. */
function tableOrder(names: readonly string[], models: readonly Model[]): readonly number[] {
  const rank = (name: string): number => {
    const index = models.findIndex((model) => model.metric === name);
    return index < 0 ? models.length : index;
  };
  const columns = names.map((name, column) => ({ name, column })).slice(1);
  columns.sort((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
  return columns.map(({ column }) => column);
}

/** m0 → vmaf; m1_bagging → NAME_bagging (values that bootstrap models add). */
function metricName(column: string, models: readonly Model[]): string {
  for (const [index, model] of models.entries()) {
    const key = modelKey(index);
    if (column === key) return model.metric;
    if (column.startsWith(`${key}_`)) return `${model.metric}${column.slice(key.length)}`;
  }
  return column;
}
