/** The options that say which frames of a pair are compared. */
import { InvalidArgumentError, type Option } from "commander";
import type { AlignmentRequest, Length, Run } from "../../../engine/contract/alignment.ts";
import { MAX_FRAME, MAX_RUNS } from "../../../jobs/request-limits.ts";
import { optional } from "../../flags/optional.ts";

/** Parsed options, named as in requests. */
export type AlignmentFlags = AlignmentRequest;

export function alignmentOptions(): Option[] {
  return [
    optional(
      "--offset <frames>",
      "the distorted video's frame that shows the reference's first one; negative if it lacks the first ones",
      "0, and both must have as many frames",
    ).argParser(parseOffset),
    optional(
      "--start <length>",
      "compare from here in the reference: frames such as 36, or seconds such as 1.5s",
      "its first frame",
    ).argParser(parseLength),
    optional(
      "--duration <length>",
      "compare as much of the reference: frames such as 250, or seconds such as 10s",
      "to its end",
    ).argParser(parseLength),
    optional(
      "--runs <list>",
      "compare these frames only: REFERENCE:DISTORTED:COUNT, the first frame of each side and how many, separated by commas; repeatable",
      "all frames",
    ).argParser(collectRuns),
  ];
}

/** Returns the members of a request. */
export function alignmentOf({ offset, start, duration, runs }: AlignmentFlags): AlignmentRequest {
  return {
    ...(offset !== undefined && { offset }),
    ...(start !== undefined && { start }),
    ...(duration !== undefined && { duration }),
    ...(runs !== undefined && { runs }),
  };
}

function parseOffset(text: string): number {
  const frames = Number(text);
  if (/^[+-]?\d{1,10}$/.test(text) && Math.abs(frames) <= MAX_FRAME) return frames;
  throw new InvalidArgumentError(`Use a whole number of frames from -${MAX_FRAME} to ${MAX_FRAME}.`);
}

function parseLength(text: string): Length {
  const [, digits, unit] = /^(\d{1,10}(?:\.\d{1,9})?)(s?)$/.exec(text) ?? [];
  const value = Number(digits);
  const isFrames = unit === "" && Number.isInteger(value);
  if (value <= MAX_FRAME && (isFrames || unit === "s")) return isFrames ? value : { seconds: value };
  throw new InvalidArgumentError("Use frames, for example 36, or seconds, for example 1.5s.");
}

function collectRuns(text: string, before: readonly Run[] = []): readonly Run[] {
  const runs = [...before, ...text.split(",").map(parseRun)];
  if (runs.length > MAX_RUNS) throw new InvalidArgumentError(`Give at most ${MAX_RUNS} runs.`);
  return runs;
}

function parseRun(text: string): Run {
  const [reference = -1, distorted = -1, count = -1] = /^\d{1,10}:\d{1,10}:\d{1,10}$/.test(text)
    ? text.split(":").map(Number)
    : [];
  if (count >= 1) return { reference, distorted, count };
  throw new InvalidArgumentError(
    "Use REFERENCE:DISTORTED:COUNT, for example 0:5:100 to compare frames 0 to 99 with frames 5 to 104.",
  );
}
