/** Compares old scores with new ones, for each job and in total. */
import type { Connection } from "../../client/connection/connection.ts";
import { type Job, Job_State, JobSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import { USUAL_MAX_SCORE, usedModel } from "../../jobs/scored-models.ts";
import { Failure } from "../../platform/failure.ts";
import { messageObject } from "../connection/message-json.ts";
import { EXIT, exitCodeOf } from "../exit.ts";
import { fetchJob } from "../jobs/get.ts";
import { exitCodeOfJob, failureOfJob, titleOf } from "../jobs/state.ts";
import { printable, printableJson } from "../terminal/escape.ts";
import { exact } from "../terminal/numbers.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { cut } from "../terminal/width.ts";
import type { Resubmission } from "./resubmit.ts";

/** An old job and the job that rescored it, with their results if they have any. */
export interface Compared {
  readonly old: Job;
  /** undefined: its submission was refused. */
  readonly rescored: Job | undefined;
  /** Why there is no new score. */
  readonly failure: Failure | undefined;
}

/** The table row of a rescored job, and its exit code. Keeping the results of many jobs would take too much memory. */
export interface ComparedRow {
  readonly id: string;
  readonly newId: string | undefined;
  readonly title: string;
  readonly oldScore: number | undefined;
  readonly newScore: number | undefined;
  /** "vmaf_v0.6.1 (libvmaf 3.0.0)"; undefined without a result. */
  readonly oldModel: string | undefined;
  readonly newModel: string | undefined;
  readonly failure: Failure | undefined;
  readonly exitCode: number;
}

const MAX_NAME_COLUMNS = 20;
/** Minimum width of the reason before other columns are left out. */
const RESULT_COLUMNS = 12;

/** Fetches the results of a job and of the ended job that rescored it. Throws Failure. */
export async function compare(
  connection: Connection,
  { old, refusal }: Resubmission,
  ended: Job | undefined,
  signal: AbortSignal,
): Promise<Compared> {
  const before = await fetchJob(connection, old.id, signal).catch((thrown: unknown) => {
    // The job was deleted in the meantime. The list that selected it has its score.
    if (Failure.from(thrown).code === "JOB_NOT_FOUND") return old;
    throw thrown;
  });
  if (ended === undefined) return { old: before, rescored: undefined, failure: refusal };
  const rescored = await fetchJob(connection, ended.id, signal);
  const failure = rescored.state === Job_State.SUCCEEDED ? undefined : failureOfJob(rescored);
  return { old: before, rescored, failure };
}

export function rowOf({ old, rescored, failure }: Compared): ComparedRow {
  return {
    id: old.id,
    newId: rescored?.id,
    title: titleOf(old),
    oldScore: old.score,
    newScore: rescored?.score,
    oldModel: modelOf(old),
    newModel: rescored && modelOf(rescored),
    failure,
    exitCode: rescored ? exitCodeOfJob(rescored) : failure ? exitCodeOf(failure) : EXIT.scored,
  };
}

function modelOf({ result }: Job): string | undefined {
  const [first] = result?.models ?? [];
  if (first === undefined) return undefined;
  const scale = first.maxScore > USUAL_MAX_SCORE ? `, 0 to ${first.maxScore}` : "";
  return `${usedModel(first)} (libvmaf ${result?.scorer?.libvmafVersion || "unknown"}${scale})`;
}

/** Returns both jobs, the difference of their scores, and the error if there is no new score, as one line. */
export function comparisonJson({ old, rescored, failure }: Compared): string {
  const difference = differenceOf({ oldScore: old.score, newScore: rescored?.score });
  return `${printableJson({
    old: messageObject(JobSchema, old),
    ...(rescored && { new: messageObject(JobSchema, rescored) }),
    ...(difference !== undefined && { difference }),
    ...(failure && { error: { code: failure.code, message: failure.message } }),
  })}\n`;
}

/** Returns the new score minus the old one; undefined if one is missing. */
function differenceOf({ oldScore, newScore }: Pick<ComparedRow, "oldScore" | "newScore">) {
  return oldScore === undefined || newScore === undefined ? undefined : newScore - oldScore;
}

/** Returns a line for each job below a heading, then the totals. */
export function comparisonLines(rows: readonly ComparedRow[], terminal: Terminal): string[] {
  const options = { heading: true, lastColumns: RESULT_COLUMNS };
  return [...tableLines(rows, columnsFor(terminal), terminal, options), ...sumLines(rows)];
}

function columnsFor({ columns, unicode }: Terminal): readonly TableColumn<ComparedRow>[] {
  const most = Number.isFinite(columns) ? MAX_NAME_COLUMNS : Number.POSITIVE_INFINITY;
  const score = { atLeast: 10, align: "right" } as const;
  return [
    { heading: "ID", text: ({ id }) => id, atLeast: 36, dispensable: 2 },
    { heading: "NEW ID", text: ({ newId = "-" }) => newId, atLeast: 36, dispensable: 3 },
    { heading: "NAME", text: ({ title }) => cut(title, most, unicode), atLeast: 0 },
    { heading: "OLD MODEL", text: ({ oldModel = "-" }) => oldModel, atLeast: 0, dispensable: 1 },
    { heading: "OLD", text: ({ oldScore }) => scoreText(oldScore), ...score },
    { heading: "NEW MODEL", text: ({ newModel = "-" }) => newModel, atLeast: 0, dispensable: 1 },
    { heading: "NEW", text: ({ newScore }) => scoreText(newScore), ...score },
    { heading: "DIFFERENCE", text: (row) => signed(differenceOf(row)), ...score },
    { heading: "RESULT", text: ({ failure }) => failureText(failure), atLeast: 0 },
  ];
}

function scoreText(score: number | undefined): string {
  return score === undefined ? "-" : exact(score);
}

function signed(difference: number | undefined): string {
  return difference === undefined ? "-" : `${difference < 0 ? "" : "+"}${exact(difference)}`;
}

/** Returns the code before the message, because the end of a cell is cut. */
function failureText(failure: Failure | undefined): string {
  return failure === undefined ? "" : `${failure.code}: ${failure.message}`;
}

/** Returns lines with the numbers of jobs, the differences, and the old and new models. */
function sumLines(rows: readonly ComparedRow[]): string[] {
  const failed = rows.filter(({ failure }) => failure !== undefined).length;
  const differences = rows.flatMap((row) => differenceOf(row) ?? []);
  return [
    `${rows.length} ${rows.length === 1 ? "job" : "jobs"}: ${rows.length - failed} rescored, ${failed} failed`,
    ...(differences.length > 0 ? [differencesLine(differences)] : []),
    ...modelsLine(
      "Old",
      rows.flatMap(({ oldModel }) => oldModel ?? []),
    ),
    ...modelsLine(
      "New",
      rows.flatMap(({ newModel }) => newModel ?? []),
    ),
  ];
}

function differencesLine(differences: readonly number[]): string {
  const mean = differences.reduce((sum, one) => sum + one, 0) / differences.length;
  const least = differences.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
  const most = differences.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY);
  return `Difference: mean ${signed(mean)}, min ${signed(least)}, max ${signed(most)}`;
}

/** "New: 110 x vmaf_v1.0.16_3d0h (libvmaf 3.2.0), 8 x vmaf_v1.0.16_hfr_3d0h (libvmaf 3.2.0)"; none without models. */
function modelsLine(which: string, models: readonly string[]): string[] {
  const groups = [...Map.groupBy(models, (model) => model)];
  const counts = groups.map(([model, { length }]) => `${length} x ${printable(model)}`);
  return counts.length === 0 ? [] : [`${which}: ${counts.join(", ")}`];
}
