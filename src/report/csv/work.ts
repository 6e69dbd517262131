/** The tasks of a job as CSV. */
import type { components } from "../../gen/rest/controller.ts";
import { type CsvColumn, csvTable } from "../../jobs/text/csv-row.ts";

type Task = components["schemas"]["JobWork"];

const COLUMNS: readonly CsvColumn<Task>[] = [
  ["kind", ({ kind }) => kind],
  ["state", ({ state }) => state],
  ["first_frame", ({ firstFrame, frameCount }) => (frameCount > 0 ? firstFrame : undefined)],
  ["frame_count", ({ frameCount }) => frameCount],
  ["frames", ({ frames = [] }) => frames.join(" ")],
  ["clip_frame", ({ clipFrame }) => clipFrame],
  ["node", ({ node }) => node],
  ["attempts", ({ attempt }) => attempt],
  ["started", ({ startTime }) => startTime],
  ["ended", ({ endTime }) => endTime],
  ["reused_from", ({ reusedFrom }) => reusedFrom],
];

/** Returns a line for each task. */
export function workCsv(work: Iterable<Task>): Generator<string> {
  return csvTable(COLUMNS, work);
}
