/** Selects the jobs that can be compared, and explains why others cannot. */
import type { components } from "../../../src/gen/rest/controller.ts";
import { requestedModels } from "../../../src/jobs/default-models.ts";
import { usedModel } from "../../../src/jobs/scored-models.ts";
import { fileName } from "../../../src/jobs/text/file-name.ts";
import { framesOf } from "../job/frames/frame-ranges.ts";

type Job = components["schemas"]["Job"];

export interface Sorted {
  readonly comparable: readonly Job[];
  readonly others: readonly { readonly job: Job; readonly reason: string }[];
}

/** The largest set of jobs that can all be compared with one another; of equal sets, the one whose jobs come first. */
export function partitionComparable(jobs: readonly Job[]): Sorted {
  const groups = jobs.map((first) => groupOf([first, ...jobs.filter((job) => job !== first)]));
  const members = groups.reduce((best, group) => (group.length > best.length ? group : best), []);
  const comparable = jobs.filter((job) => members.includes(job));
  const others = jobs
    .filter((job) => !members.includes(job))
    .map((job) => ({ job, reason: reasonOf(job, members) ?? "" }));
  return { comparable, others };
}

/** An unknown property is compatible with any value, so each job must be checked against the whole group. */
function groupOf(jobs: readonly Job[]): readonly Job[] {
  const group: Job[] = [];
  for (const job of jobs) if (reasonOf(job, group) === undefined) group.push(job);
  return group;
}

function reasonOf(job: Job, group: readonly Job[]): string | undefined {
  return [job, ...group].map((other) => whyNot(job, other)).find((reason) => reason !== undefined);
}

/** Returns the reason why the job cannot be compared with `base`; undefined if it can. */
function whyNot(job: Job, base: Job): string | undefined {
  if (job.state === "FAILED") return "it failed";
  if (job.state === "CANCELLED") return "it was cancelled";
  if (job.spec.diagnoseOnly) return "it is only diagnosed";
  if (job.spec.reference !== base.spec.reference)
    return `its reference is a different file, ${fileName(job.spec.reference)}`;
  return whyNotModel(job, base) ?? whyNotFrames(job, base) ?? whyNotMedia(job, base);
}

/**
 * Returns the reason why the models differ. Jobs match if they name the same model, or if the same model was
 * used for both: v1 can stand for several models.
 */
function whyNotModel(job: Job, base: Job): string | undefined {
  const [asked, other] = [requestedModels(job.spec)[0], requestedModels(base.spec)[0]];
  const [used, others] = [usedFor(job), usedFor(base)];
  const isSame = asked === other || (used !== undefined && used === others);
  return isSame ? undefined : `it is scored by ${asked}, not by ${other}`;
}

/** Returns the model that gave the score; undefined without a score. */
function usedFor({ result }: Job): string | undefined {
  const [first] = result?.models ?? [];
  return first && usedModel(first);
}

function whyNotFrames(job: Job, base: Job): string | undefined {
  const [mine, others] = [framesOf(job), framesOf(base)];
  if (mine.step !== others.step) return "it scores every n-th frame with a different n";
  if (mine.total === 0 || others.total === 0 || mine.total === others.total) return undefined;
  const count = (frames: number) => frames.toLocaleString("en-US");
  return `it has ${count(mine.total)} frames, not ${count(others.total)}`;
}

/** The file at the same path may have been replaced. */
function whyNotMedia(job: Job, base: Job): string | undefined {
  const [mine, others] = [job.result?.reference, base.result?.reference];
  if (mine === undefined || others === undefined) return undefined;
  const isSame =
    mine.width === others.width &&
    mine.height === others.height &&
    (mine.bytes === undefined || others.bytes === undefined || mine.bytes === others.bytes);
  return isSame ? undefined : "its reference has changed between the two jobs";
}

/** Metrics that all jobs with pooled scores have, in the order of the first job; an estimate has none. */
export function metricsInAll(jobs: readonly Job[]): readonly string[] {
  const lists = jobs.flatMap(({ result }) =>
    result === undefined || result.estimate !== undefined ? [] : [Object.keys(result.pooled)],
  );
  const [first = [], ...rest] = lists;
  return first.filter((metric) => rest.every((list) => list.includes(metric)));
}
