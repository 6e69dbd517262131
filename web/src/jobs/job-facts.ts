/** Titles, states and progress of a job, as text. */

import type { components } from "../../../src/gen/rest/controller.ts";
import { bitRateText, fetchText, resolutionText } from "../../../src/jobs/quantities.ts";
import { isTerminal, JOB_TRANSITIONS, type JobState } from "../../../src/jobs/states.ts";
import { fileName } from "../../../src/jobs/text/file-name.ts";
import { formatAge, formatDay, formatDuration } from "../ui/moments.ts";

export type Job = components["schemas"]["Job"];
export type JobSpec = components["schemas"]["JobSpec"];
export type JobEstimate = components["schemas"]["JobEstimate"];

export const STATE_NAMES: Readonly<Record<JobState, string>> = {
  QUEUED: "Queued",
  RUNNING: "Running",
  SUCCEEDED: "Succeeded",
  FAILED: "Failed",
  CANCELLED: "Cancelled",
};

export function hasEnded({ state }: Job): boolean {
  return isTerminal(JOB_TRANSITIONS, state);
}

/** Its name, or else the file name of the distorted video. */
export function titleOf({ spec, id }: Job): string {
  return spec.name || fileName(spec.distorted) || id;
}

/** "h264 · 1920×1080"; undefined if not (yet) known. */
export function codecText({ distortedMedia: media }: Job): string | undefined {
  return media && `${media.codec} · ${resolutionText(media.width, media.height)}`;
}

/** Bit rate of the distorted video: "4.20 Mbit/s"; undefined if not (yet) known or the file states no frame rate. */
export function videoRateText({ distortedMedia: media }: Job): string | undefined {
  return media?.videoBitRate === undefined ? undefined : bitRateText(media.videoBitRate);
}

export function labelsOf({ labels }: JobSpec): readonly (readonly [key: string, value: string])[] {
  return Object.entries(labels ?? {});
}

/** Half width or limits of an estimate's interval: "± 0.42", or "98.20 to 100.00" if it ends at the largest score. */
export function intervalText({ score, low, high }: JobEstimate): string {
  const [below, above] = [score - low, high - score];
  const isEven = Math.abs(below - above) <= 1e-5;
  return isEven ? `± ${below.toFixed(2)}` : `${low.toFixed(2)} to ${high.toFixed(2)}`;
}

/** "8.4 % of the frames". */
export function sampleText({ scoredShare }: JobEstimate): string {
  return `${(100 * scoredShare).toFixed(1)} % of the frames`;
}

/** Share of frames scored, 0 to 1; undefined until the total is known. */
export function shareOf({ progress }: Job): number | undefined {
  if (progress === undefined || progress.framesTotal === 0) return undefined;
  return Math.min(1, progress.framesDone / progress.framesTotal);
}

/** Estimated time left; undefined if there is no estimate. */
export function leftText({ state, progress }: Job): string | undefined {
  if (state !== "RUNNING" || progress?.secondsLeft === undefined) return undefined;
  return `~${formatAge(Math.max(1, progress.secondsLeft))} left`;
}

/** Progress or outcome in a few words. */
export function progressText(job: Job): string {
  return TEXTS[job.state](job);
}

const TEXTS: Readonly<Record<JobState, (job: Job) => string>> = {
  QUEUED: () => "Waiting for a node",
  RUNNING: ({ progress, fetch }) => {
    if (fetch !== undefined) return fetchText(fetch);
    return progress === undefined
      ? "Inspecting files"
      : framesText(progress.framesDone, progress.framesTotal);
  },
  SUCCEEDED: ({ spec, progress, startTime, endTime }) => {
    const done = spec.diagnoseOnly ? "Diagnosed" : `${COUNT.format(progress?.framesTotal ?? 0)} frames`;
    return `${done}${tookText(startTime, endTime)}`;
  },
  FAILED: ({ error }) => error?.code ?? "No reason reported",
  CANCELLED: ({ progress }) =>
    progress === undefined ? "Cancelled before start" : framesText(progress.framesDone, progress.framesTotal),
};

function framesText(done: number, total: number): string {
  return `${COUNT.format(done)} of ${COUNT.format(total)} frames`;
}

function tookText(start: string | undefined, end: string | undefined): string {
  if (start === undefined || end === undefined) return "";
  return ` in ${formatDuration((Date.parse(end) - Date.parse(start)) / 1000)}`;
}

/** Thousands separated by commas. */
const COUNT = new Intl.NumberFormat("en");

/** Text about scores reused from earlier results; undefined if there are none. */
export function reusedText({ reuse, segmentsTotal }: Job): string | undefined {
  if (reuse === undefined) return undefined;
  const { segments, jobId, scoredTime } = reuse;
  if (jobId === undefined)
    return `${countText(segments)} of ${countText(segmentsTotal)} segments of earlier results`;
  return `answered with the result${scoredTime === undefined ? "" : ` of ${formatDay(scoredTime)}`}`;
}

export function countText(count: number): string {
  return COUNT.format(count);
}
