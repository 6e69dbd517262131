/** The basis of the bit rates on the page. It is the same for all encodes, so that only like rates are compared. */
import type { components } from "../../../../src/gen/rest/controller.ts";

type Job = components["schemas"]["Job"];

/** The video track only, or the whole file with audio and container. */
export type RateBasis = "video" | "file";

/**
 * Whether the result has the bit rate of the file but not that of the video, which early versions did not
 * record.
 */
export function lacksVideoRate({ result }: Job): boolean {
  const { bitRate, videoBitRate } = result?.distorted ?? {};
  return bitRate !== undefined && videoBitRate === undefined;
}

/** The video's rate if every encode with a bit rate has one for its video. */
export function basisOf(jobs: readonly Job[]): RateBasis {
  return jobs.some(lacksVideoRate) ? "file" : "video";
}

export const BASIS_NAMES: Readonly<Record<RateBasis, string>> = {
  video: "Video bit rate",
  file: "Whole-file bit rate",
};
