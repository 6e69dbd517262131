/** Compares the jobs that were just scored with those of an earlier release. */
import type { Connection } from "../../client/connection/connection.ts";
import { JobService } from "../../gen/proto/svc/v1/job_pb.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import type { Labels } from "../jobs/labels.ts";
import { quoteName } from "../terminal/escape.ts";
import { detectTerminal } from "../terminal/terminal.ts";
import { fetchTrend } from "../trends/options.ts";
import { deltaLines, exitOf } from "../trends/view.ts";
import type { CompareFlags } from "./options.ts";

/** The releases that --baseline and --label name, and the labels that their jobs have in common. */
export interface Baseline {
  readonly by: string;
  readonly baseline: string;
  readonly candidate: string;
  readonly labels: Labels;
}

/** Returns undefined without --baseline. Throws INVALID_REQUEST. */
export function baselineOf({
  baseline,
  label = {},
  failIfWorse,
  wait,
  statistic,
}: CompareFlags): Baseline | undefined {
  if (baseline === undefined) {
    const alone =
      failIfWorse !== undefined ? "--fail-if-worse" : statistic !== undefined ? "--statistic" : undefined;
    if (alone !== undefined) throw invalid(`${alone} needs --baseline.`);
    return undefined;
  }
  const [[by, value] = ["", ""], ...more] = Object.entries(baseline);
  if (more.length > 0) throw invalid("--baseline is given more than once.");
  const { [by]: candidate, ...labels } = label;
  if (candidate === undefined)
    throw invalid(
      `--baseline ${by}=${value} needs the release of these encodes: give --label ${by}=RELEASE too.`,
    );
  if (candidate === value)
    throw invalid(`--baseline and --label both have ${by}=${value}. Give two releases.`);
  if (!wait) throw invalid("--baseline needs the scores. Leave out --no-wait, or use svc trends later.");
  return { by, baseline: value, candidate, labels };
}

/**
 * Checks that the baseline has a job before anything is scored: a typo would show only after hours. The job may still be
 * running. Throws SCORES_NOT_FOUND.
 */
export async function requireJobs(
  connection: Connection,
  { by, baseline, labels }: Baseline,
  signal: AbortSignal,
): Promise<void> {
  const request = { labels: { ...labels, [by]: baseline }, pageSize: 1 };
  const { jobs } = await connection.call(JobService.method.listJobs, request, { signal });
  if (jobs.length > 0) return;
  const given = Object.entries(request.labels).map(([key, value]) => quoteName(`${key}=${value}`));
  const what = given.length === 1 ? "the label" : "the labels";
  throw new Failure("SCORES_NOT_FOUND", `No job has ${what} ${given.join(" and ")}. Nothing was submitted.`);
}

/** Prints how the releases compare, on standard error, and returns the exit code. */
export async function compareReleases(
  connection: Connection,
  asked: Baseline,
  flags: CompareFlags,
  signal: AbortSignal,
): Promise<number> {
  const { statistic, failIfWorse } = flags;
  const trend = await fetchTrend(connection, { ...asked, statistic, failIfWorse }, signal);
  const lines = deltaLines(trend, detectTerminal(process.stderr, process.env));
  process.stderr.write(`${lines.join("\n")}\n`);
  return exitOf(trend, failIfWorse);
}
