/** What the bit rates of the page count: one thing for all encodes, so that no two of different kinds are compared. */
import type { components } from "../../../src/gen/rest/controller.ts";

type Job = components["schemas"]["Job"];

/** The video track alone, or the whole file with its sound and container. */
export type RateBasis = "video" | "file";

/** Whether its result has the bit rate of its file and not that of the video: it is of a version that did not record it. */
export function lacksVideoRate({ result }: Job): boolean {
  const { bitRate, videoBitRate } = result?.distorted ?? {};
  return bitRate !== undefined && videoBitRate === undefined;
}

/** The video's, as long as every encode with a bit rate has that of its video. */
export function basisOf(jobs: readonly Job[]): RateBasis {
  return jobs.some(lacksVideoRate) ? "file" : "video";
}

export const BASIS_NAMES: Readonly<Record<RateBasis, string>> = {
  video: "Video bit rate",
  file: "Whole-file bit rate",
};
