/** Media properties of both files. */
import type { components } from "../../../src/gen/rest/controller.ts";
import { rateOf } from "../../../src/jobs/frame-rate.ts";
import { bitRatesText, resolutionText } from "../../../src/jobs/quantities.ts";
import type { Job } from "../jobs/job-facts.ts";

export type MediaInfo = components["schemas"]["MediaInfo"];

export interface Sides {
  readonly reference: MediaInfo;
  readonly distorted: MediaInfo;
}

/** Properties of the files of a job that was planned, scored or diagnosed. */
export function foundSides({ result, diagnosis, plan }: Job): Sides | undefined {
  return result ?? diagnosis ?? plan;
}

/** Properties of files that could not be compared. The shape of a failure's facts is not guaranteed. */
export function failedSides({ error }: Job): Sides | undefined {
  const { reference, distorted } = error?.found ?? {};
  return isMedia(reference) && isMedia(distorted) ? { reference, distorted } : undefined;
}

function isMedia(value: unknown): value is MediaInfo {
  return typeof value === "object" && value !== null && "codec" in value && "width" in value;
}

/** Summary of a file: "h264 · 1920×1080 · 25 fps · 4.20 Mbit/s". */
export function mediaText(media: MediaInfo): string {
  const { codec, width, height, frameRate } = media;
  const fps = rateOf(frameRate);
  const facts = [codec, resolutionText(width, height), fps && fpsText(fps), bitRatesText(media)];
  return facts.filter(Boolean).join(" · ");
}

/** "25 fps", "29.97 fps". */
export function fpsText(rate: number): string {
  return `${Number(rate.toFixed(3))} fps`;
}
