/** The pass of a run that computes XPSNR: ffmpeg's own filter next to those of libvmaf, and its log. */
import { createReadStream } from "node:fs";
import { Failure } from "../../platform/failure.ts";
import { FrameTable } from "../frames/frame-table.ts";
import { type Xpsnr, xpsnrOf } from "../planning/xpsnr.ts";
import { splitLines } from "../sandbox/lines.ts";
import { firstPass, type Pass } from "./passes.ts";
import type { Run } from "./run.ts";

/** As for other passes, its index is its name in the labels of the filter graph. */
export interface XpsnrPass extends Pick<Pass, "index" | "format" | "log">, Pick<Xpsnr, "rate"> {}

/** Returns the pass if XPSNR is requested. `before`: the run's other passes. */
export function xpsnrPass(run: Run, before: readonly Pass[]): XpsnrPass | undefined {
  if (!run.features.includes("xpsnr")) return undefined;
  const index = firstPass(run) + before.length;
  const { format, rate } = xpsnrOf(run);
  return { index, format, rate, log: `pass${index}-xpsnr.txt` };
}

/**
 * Returns the filters that follow the conversion of a side. The filter judges motion by the frame rate of its
 * input, so the frames, which only have numbers until here, get a rate. `copy` writes rows without padding
 * and of one length (xpsnr.ts of planning).
 */
export function timed({ rate }: XpsnrPass): string {
  return `copy,settb=1/${rate},setpts=N,fps=${rate}`;
}

/** Returns the filter. Its first input, which the weights are taken from, is the reference. */
export function xpsnr({ index, log }: XpsnrPass): string {
  return `[reference${index}][distorted${index}]xpsnr=stats_file=${log}:shortest=1[scored${index}]`;
}

const VALUE = String.raw`(-?\d+\.\d{4}|inf)`;
const FRAME = new RegExp(`^n: +(\\d+) {2}XPSNR y: ${VALUE} {2}XPSNR u: ${VALUE} {2}XPSNR v: ${VALUE}$`);
const END = /^XPSNR average, (\d+) frames /;

/**
 * Reads the log: a line per frame, counted from 1, and a last one with the number of frames. The filter must see every
 * frame, so frames that were not asked for are dropped here. Throws SCORER_FAILED if the log is incomplete.
 */
export async function readXpsnrLog(
  path: string,
  { subsample, segment }: Pick<Run, "subsample" | "segment">,
): Promise<FrameTable> {
  const table = new FrameTable(["xpsnr_u", "xpsnr_v", "xpsnr_y"], Math.ceil(segment.count / subsample));
  let next = 0;
  let end: number | undefined;
  await splitLines(createReadStream(path), (line) => {
    end ??= countAtEnd(line);
    if (line === "" || end !== undefined) return;
    const [, number, y, u, v] = FRAME.exec(line) ?? [];
    if (Number(number) !== next + 1) throw broken();
    if (next % subsample === 0) table.append(next, [u, v, y].map(decibels));
    next++;
  });
  if (end !== next) throw broken();
  return table;
}

function countAtEnd(line: string): number | undefined {
  const frames = END.exec(line)?.[1];
  return frames === undefined ? undefined : Number(frames);
}

/** Identical frames have no finite value. */
function decibels(text: string | undefined): number {
  return text === "inf" ? Number.NaN : Number(text);
}

function broken(): Failure {
  return new Failure("SCORER_FAILED", "The scorer's log of XPSNR is incomplete.");
}
