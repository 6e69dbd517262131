/** A list of jobs as CSV. */
import type { components } from "../../gen/rest/controller.ts";
import { requestedModels } from "../../jobs/default-models.ts";
import { type CsvColumn, csvTable } from "../../jobs/text/csv-row.ts";
import { labelTexts } from "../../jobs/text/labels.ts";

/** A job as REST returns it. */
export type JobAnswer = components["schemas"]["Job"];

const COLUMNS: readonly CsvColumn<JobAnswer>[] = [
  ["id", ({ id }) => id],
  ["name", ({ spec }) => spec.name],
  ["state", ({ state }) => state],
  ["score", ({ score, estimate }) => score ?? estimate?.score],
  ["low", ({ estimate }) => estimate?.low],
  ["high", ({ estimate }) => estimate?.high],
  ["models", ({ spec }) => (spec.diagnoseOnly ? undefined : requestedModels(spec).join(" "))],
  ["reference", ({ spec }) => spec.reference],
  ["distorted", ({ spec }) => spec.distorted],
  ["codec", ({ distortedMedia }) => distortedMedia?.codec],
  ["width", ({ distortedMedia }) => distortedMedia?.width],
  ["height", ({ distortedMedia }) => distortedMedia?.height],
  ["rate", ({ distortedMedia }) => distortedMedia?.videoBitRate],
  ["labels", ({ spec }) => labelTexts(spec.labels).join(" ")],
  ["submitted", ({ createTime }) => createTime],
  ["submitted_by", ({ submittedBy }) => submittedBy],
  ["ended", ({ endTime }) => endTime],
  ["error", ({ error }) => error?.code],
  ["gates", ({ gates = [] }) => gates.map(gateText).join(" ")],
];

/** Returns a line for each job, after a heading. */
export function jobsCsv(jobs: Iterable<JobAnswer>, heading = true): Generator<string> {
  return csvTable(COLUMNS, jobs, heading);
}

/** "vmaf.p5=85:FAILED"; without a verdict before there is a score. */
function gateText({ gate, verdict }: NonNullable<JobAnswer["gates"]>[number]): string {
  return verdict === "VERDICT_UNSPECIFIED" ? gate : `${gate}:${verdict}`;
}
