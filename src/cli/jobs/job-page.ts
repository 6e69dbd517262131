/** The page of a job, for people: its properties, its progress, and where its tasks run. */
import type { JsonObject } from "@bufbuild/protobuf";
import { type Job, type JobWork, JobWork_Kind, JobWork_State } from "../../gen/proto/svc/v1/job_pb.ts";
import type { MediaInfo } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { fetchText } from "../../jobs/quantities.ts";
import { labelTexts } from "../../jobs/text/labels.ts";
import { inOptions } from "../api-names.ts";
import { MISMATCH, refusedLines } from "../findings/refused.ts";
import { instantText } from "../flags/instants.ts";
import { remedyLines } from "../remedy.ts";
import { progressText } from "../score/progress.ts";
import { mediaText, warningLines } from "../score/report.ts";
import { printable, quoteName } from "../terminal/escape.ts";
import { ageText, exact } from "../terminal/numbers.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import { type Ink, paint, type Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import { hasEnded, millisecondsOf, progressOf, stateName, titleOf } from "./state.ts";

const LABEL_COLUMNS = 11;
/** Most tasks listed one by one; a film has hundreds. */
const MAX_TASKS = 20;

const STATE_INKS: Readonly<Record<string, Ink>> = {
  RUNNING: "cyan",
  SUCCEEDED: "green",
  FAILED: "red",
  CANCELLED: "yellow",
};

/** Returns the state in its colour. */
function paintedState(job: Job, terminal: Terminal): string {
  const name = stateName(job.state);
  const ink = STATE_INKS[name];
  return ink === undefined ? name : paint(terminal, ink, name);
}

/** Returns the lines about a job; `now` in milliseconds since 1970. */
export function jobPage(job: Job, terminal: Terminal, now: number): string[] {
  const sections = [
    facts(job, terminal, now),
    errorLines(job, terminal),
    warningLines(job.plan?.warnings ?? [], terminal),
    progressLines(job, terminal),
    work(job, terminal),
  ];
  return sections.filter((section) => section.length > 0).flatMap((section) => [...section, ""]);
}

/** Identifies the job at the end of a report. */
export function jobLines(job: Job, terminal: Terminal): string[] {
  const took = tookText(job);
  const which = `Job ${job.id} ${quoteName(titleOf(job))}${took === "" ? "" : `, ${took}`}${retriesText(job)}.`;
  const kept = keptText(job);
  const reused = reusedText(job);
  const finish =
    job.estimate === undefined ? "" : ` svc jobs finish ${job.id} scores the rest of the frames.`;
  const reuse = reused === "" ? "" : ` Reused: ${reused}.`;
  const text = `${which}${reuse}${kept === "" ? "" : ` Kept ${kept}.`}${finish}`;
  return wrap(text, terminal.columns).map((line) => paint(terminal, "dim", line));
}

function facts(job: Job, terminal: Terminal, now: number): string[] {
  const { spec, plan } = job;
  const rows: [string, string][] = [
    ["Job", printable(job.id)],
    ["Name", printable(spec?.name ?? "")],
    ["Reference", fileText(spec?.reference, plan?.reference, terminal)],
    ["Distorted", fileText(spec?.distorted, plan?.distorted, terminal)],
    ["Models", (spec?.models ?? []).map(printable).join(", ") || printable(spec?.model ?? "")],
    ["Metrics", (spec?.features ?? []).map(printable).join(", ")],
    ["Only", spec?.diagnoseOnly ? "diagnosed, not scored" : ""],
    ["Gates", (spec?.gates ?? []).map(printable).join(", ")],
    ["Estimate", requestedText(job)],
    ["Finishes", job.finishes === undefined ? "" : `job ${printable(job.finishes)}`],
    ["Reused", reusedText(job)],
    ["Labels", labelsText(spec?.labels ?? {})],
    ["Priority", spec?.priority ? String(spec.priority) : ""],
    ["Submitted", submittedText(job, now)],
    ["Kept", keptText(job)],
  ];
  const lines = rows
    .filter(([, text]) => text !== "")
    .flatMap(([label, text]) =>
      wrap(`${label.padEnd(LABEL_COLUMNS)}${text}`, terminal.columns, " ".repeat(LABEL_COLUMNS)),
    );
  const took = tookText(job);
  const state = `${"State".padEnd(LABEL_COLUMNS)}${paintedState(job, terminal)}`;
  return [...lines, `${state}${took === "" ? "" : `, ${took}`}${retriesText(job)}`, ...scoreLine(job)];
}

/** Returns "to ±0.5 with 95 % confidence, seed 7"; empty for a score of all frames. */
function requestedText({ spec }: Job): string {
  const { tolerance, seed } = spec?.estimate ?? {};
  return tolerance === undefined ? "" : `to ±${tolerance} with 95 % confidence, seed ${seed ?? "unknown"}`;
}

/** Returns the text about scores reused from earlier results; empty if there are none. */
function reusedText({ reuse, segmentsTotal }: Job): string {
  if (reuse === undefined) return "";
  const { segments, jobId, scoredTime } = reuse;
  if (jobId === undefined) return `${segments} of ${segmentsTotal} segments, scored for earlier jobs`;
  return `the result of job ${printable(jobId)} of ${instantText(millisecondsOf(scoredTime) ?? 0)}`;
}

/** Returns a file's name and the properties that planning found. */
function fileText(name: string | undefined, found: MediaInfo | undefined, terminal: Terminal): string {
  const quoted = quoteName(name ?? "");
  return found === undefined ? quoted : `${quoted}  ${mediaText(found, terminal)}`;
}

function scoreLine({ score }: Job): string[] {
  return score === undefined ? [] : [`${"Score".padEnd(LABEL_COLUMNS)}${exact(score)}`];
}

/** "release=7, title=trailer" */
export function labelsText(labels: Readonly<Record<string, string>>): string {
  return labelTexts(labels).map(printable).join(", ");
}

function submittedText({ createTime, submittedBy }: Job, now: number): string {
  const created = millisecondsOf(createTime);
  if (created === undefined) return "";
  const by = submittedBy === "" ? "" : ` by ${printable(submittedBy)}`;
  return `${new Date(created).toISOString()} (${ageText(now - created)} ago)${by}`;
}

/** Returns until when the job is kept, and what is kept with it; empty for a job that has not ended. */
function keptText({ expireTime, spec }: Job): string {
  const until = millisecondsOf(expireTime);
  const what = spec?.diagnoseOnly ? "" : "with its scores, stills and clips ";
  return until === undefined ? "" : `${what}until ${instantText(until)}`;
}

/** Returns "12.3 s from start to end"; empty for a job without both times. */
function tookText({ startTime, endTime }: Job): string {
  const [start, end] = [millisecondsOf(startTime), millisecondsOf(endTime)];
  return start === undefined || end === undefined
    ? ""
    : `${((end - start) / 1000).toFixed(1)} s from start to end`;
}

function retriesText({ retries }: Job): string {
  return retries === 0 ? "" : `, ${retries} ${retries === 1 ? "task" : "tasks"} retried`;
}

function errorLines({ error }: Job, terminal: Terminal): string[] {
  if (error === undefined) return [];
  const { code, message, found = {} } = error;
  const inner = { ...terminal, columns: terminal.columns - 7 };
  const refused = refusedLines(found, inner);
  const text = refused.length > 0 ? MISMATCH : printable(inOptions(message));
  const lines = [
    ...wrap(`${text} [${printable(code)}]`, inner.columns),
    ...(refused.length > 0 ? refused : foundLines(found, inner.columns)),
  ];
  return lines.map((line, index) =>
    index === 0 ? `${paint(terminal, "red", "error:")} ${line}` : `       ${line}`.trimEnd(),
  );
}

function foundLines(found: JsonObject, columns: number): string[] {
  const remedy = remedyLines(found, columns);
  const facts = Object.entries(found).filter(([name]) => name !== "remedy" || remedy.length === 0);
  const lines = facts.flatMap(([name, value]) =>
    wrap(`${printable(name)}: ${printable(JSON.stringify(value))}`, columns, "  "),
  );
  return [...remedy, ...lines];
}

function progressLines(job: Job, terminal: Terminal): string[] {
  if (hasEnded(job)) return [];
  if (job.fetch) return [fetchText(job.fetch)];
  if (job.progress === undefined) return [];
  const segments = job.segmentsTotal > 0 ? [`${job.segmentsDone} of ${job.segmentsTotal} segments`] : [];
  return [progressText(progressOf(job.progress, job), terminal), ...segments];
}

/** Lists the tasks of interest. Pending, done and cancelled tasks are only counted. */
function work(job: Job, terminal: Terminal): string[] {
  if (job.work.length === 0) return [];
  const counts = Map.groupBy(job.work, ({ state }) => taskState(state));
  const counted = [...counts].map(([state, tasks]) => `${tasks.length} ${state.toLowerCase()}`).join(", ");
  const open = job.work.filter(({ state }) => !QUIET_STATES.has(state));
  const nodes = new Set(job.work.flatMap(({ node }) => (node === "" ? [] : [node])));
  const heading = `Tasks: ${counted}${nodes.size > 0 ? `; on ${[...nodes].map(printable).join(", ")}` : ""}`;
  const more = open.length > MAX_TASKS ? [`… and ${open.length - MAX_TASKS} more`] : [];
  return [
    ...wrap(heading, terminal.columns),
    ...(open.length > 0
      ? tableLines(open.slice(0, MAX_TASKS), TASK_COLUMNS, terminal, { heading: true })
      : []),
    ...more,
  ];
}

const QUIET_STATES: ReadonlySet<JobWork_State> = new Set([
  JobWork_State.PENDING,
  JobWork_State.DONE,
  JobWork_State.CANCELLED,
]);

const TASK_COLUMNS: readonly TableColumn<JobWork>[] = [
  { heading: "TASK", text: taskText, atLeast: 7 },
  { heading: "STATE", text: ({ state }) => taskState(state), atLeast: 7 },
  { heading: "ATTEMPT", text: ({ attempt }) => String(attempt), atLeast: 0, align: "right", dispensable: 1 },
  { heading: "NODE", text: ({ node }) => node || "-", atLeast: 0 },
];

/** Returns "plan", "all frames" or "frames 250-499". */
function taskText({ kind, firstFrame, frameCount, clipFrame }: JobWork): string {
  if (kind === JobWork_Kind.PLAN) return "plan";
  if (kind === JobWork_Kind.WHOLE) return "all frames";
  if (clipFrame !== undefined) return `clip of frame ${clipFrame}`;
  if (kind === JobWork_Kind.STILLS) return `stills of ${frameCount} frames`;
  return `frames ${firstFrame}-${firstFrame + Math.max(1, frameCount) - 1}`;
}

function taskState(state: JobWork_State): string {
  const known = Object.entries(JobWork_State).find(([, value]) => value === state);
  return known?.[0] ?? `state ${state}`;
}
