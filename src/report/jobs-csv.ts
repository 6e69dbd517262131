/** A list of jobs as CSV. */
import type { components } from "../gen/rest/controller.ts";
import { csvRow } from "../jobs/text/csv-row.ts";

/** A job as REST returns it. */
export type JobAnswer = components["schemas"]["Job"];

const COLUMNS: readonly (readonly [
  heading: string,
  text: (job: JobAnswer) => string | number | undefined,
])[] = [
  ["id", ({ id }) => id],
  ["name", ({ spec }) => spec.name],
  ["state", ({ state }) => state],
  ["score", ({ score, estimate }) => score ?? estimate?.score],
  ["low", ({ estimate }) => estimate?.low],
  ["high", ({ estimate }) => estimate?.high],
  ["models", ({ spec: { model, models = [] } }) => (models.length > 0 ? models.join(" ") : model)],
  ["reference", ({ spec }) => spec.reference],
  ["distorted", ({ spec }) => spec.distorted],
  ["codec", ({ distortedMedia }) => distortedMedia?.codec],
  ["width", ({ distortedMedia }) => distortedMedia?.width],
  ["height", ({ distortedMedia }) => distortedMedia?.height],
  ["rate", ({ distortedMedia }) => distortedMedia?.videoBitRate],
  ["labels", ({ spec }) => labelsText(spec.labels)],
  ["submitted", ({ createTime }) => createTime],
  ["submitted_by", ({ submittedBy }) => submittedBy],
  ["ended", ({ endTime }) => endTime],
  ["error", ({ error }) => error?.code],
];

/** Yields a line for each job, after a heading. */
export function* jobsCsv(jobs: Iterable<JobAnswer>, heading = true): Generator<string> {
  if (heading) yield csvRow(COLUMNS.map(([name]) => name));
  for (const job of jobs) yield csvRow(COLUMNS.map(([, text]) => String(text(job) ?? "")));
}

/** "codec=av1 release=7". */
function labelsText(labels: Readonly<Record<string, string>> = {}): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
}
