/** How many frames ffmpeg delivered of each side, by what it prints at its end. */
import { Failure } from "../../platform/failure.ts";
import type { Side } from "../contract/request.ts";
import type { Messages } from "../media/messages.ts";
import type { RunOutcome } from "./run.ts";

export type Counts = Partial<Record<Side, number>>;

/**
 * Reads the number of frames per output, which ffmpeg prints at its end; an earlier imitation in metadata is
 * overwritten.
 */
export function readCount(line: string, counts: Counts): void {
  const match =
    /^\[out#([12])\/(?:null|crc) @ \S+\] \[verbose\] {3}Output stream #\d:0 \(video\): \d+ frames encoded; (\d+) packets muxed/.exec(
      line,
    );
  const side = match?.[1] === "1" ? "distorted" : match?.[1] === "2" ? "reference" : undefined;
  if (side) counts[side] = Number(match?.[2]);
}

/** Returns the counts. Throws SCORER_FAILED if one is missing. */
export function both({ reference, distorted }: Counts, messages: Messages): RunOutcome["delivered"] {
  if (reference !== undefined && distorted !== undefined) return { reference, distorted };
  const detail = "The scorer exited without an error but did not report how many frames it read.";
  throw new Failure("SCORER_FAILED", detail, { cause: messages.text() });
}
