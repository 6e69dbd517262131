/** The commands of a pass with Netflix's vmaf: the decoder that feeds each side, and vmaf's own. */

import { SIDES, type Side } from "../contract/request.ts";
import { conversion, decodedChain, isVerbatim } from "../decoding/graph.ts";
import { inputArguments } from "../decoding/input.ts";
import { EVERY_FRAME, QUIET } from "../media/ffmpeg.ts";
import { bitsOf, chromaOf } from "../media/pixels.ts";
import { inputName } from "../sandbox/sandbox.ts";
import { pictureOutput, scoringThreads } from "./decode-check.ts";
import type { Pass } from "./passes.ts";
import type { Run } from "./run.ts";
import { LIBVMAF_FEATURE, modelOption } from "./scorer.ts";

/** How one side reaches vmaf. */
export interface Feed {
  /** File or FIFO in the working directory. */
  readonly name: string;
  /** ffmpeg's arguments for filling the FIFO; undefined if vmaf reads the file directly. */
  readonly decoder: readonly string[] | undefined;
}

export type Feeds = Readonly<Record<Side, Feed>>;

/** Decides how a side reaches vmaf: directly if vmaf can read the file as it is, else decoded into a pipe. */
export function feed(run: Run, pass: Pass, side: Side): Feed {
  if (isStraight(run, pass, side)) return { name: inputName(run.sources[side]), decoder: undefined };
  const name = `${side}${pass.index}.pipe.yuv`;
  const track = run.tracks[side];
  const decoded = decodedChain(track, run.pairing, run.segment);
  const pictures = track.selfChecking ? "" : ",split[pictures]";
  const converted = conversion(track, run.pairing, pass.format);
  const decoder = [
    ...QUIET,
    ...["-progress", "pipe:1", "-stats_period", "0.3", "-xerror", "-y"],
    ...[...scoringThreads(track, run.threads), ...inputArguments(run, side)],
    ...["-filter_complex", `[0:V:0]${decoded}${pictures}[decoded];[decoded]${converted}[out]`],
    // Raw planes: some releases convert or reject video because of the chroma or field tags of a y4m header.
    ...["-map", "[out]", ...EVERY_FRAME, "-f", "rawvideo", name],
    ...(track.selfChecking
      ? []
      : ["-map", "[pictures]", ...EVERY_FRAME, ...pictureOutput(track, run.sources[side])]),
  ];
  return { name, decoder };
}

/**
 * Whether vmaf reads a side's file directly. It accepts both sides as raw planes or both as y4m, so a y4m file
 * qualifies only if the other side is y4m too. A segment of a file never qualifies.
 */
function isStraight(run: Run, { format }: Pass, side: Side): boolean {
  const fits = (one: Side): boolean =>
    run.tracks[one].straight && isVerbatim(run.tracks[one], run.pairing, format);
  if (run.segment.cut !== undefined || !fits(side)) return false;
  return run.tracks[side].samples === "raw" || bothY4m(run, fits);
}

function bothY4m({ tracks }: Run, fits: (side: Side) => boolean): boolean {
  return SIDES.every((side) => tracks[side].samples === "y4m" && fits(side));
}

/** Returns the command line of a pass. Every file is in the working directory under a fixed name. */
export function scoreArguments(run: Run, pass: Pass, feeds: Feeds): readonly string[] {
  const straight = SIDES.filter((side) => feeds[side].decoder === undefined);
  const y4m = straight.length === SIDES.length && run.tracks.reference.samples === "y4m";
  const { width, height } = run.pairing;
  const size = ["-w", String(width), "-h", String(height)];
  const planes = [...size, "-p", chromaOf(pass.format), "-b", String(bitsOf(pass.format))];
  return [
    ...["-r", feeds.reference.name, "-d", feeds.distorted.name],
    ...(y4m ? [] : planes),
    ...pass.models.flatMap((model) => ["-m", modelOption(model, ":")]),
    ...pass.features.flatMap((feature) => ["--feature", LIBVMAF_FEATURE[feature]]),
    ...[
      "--csv",
      "-o",
      pass.log,
      "--threads",
      String(run.threads),
      "--subsample",
      String(run.subsample),
      "-q",
    ],
    ...(straight.length > 0 ? ["--frame_cnt", String(fed(run))] : []),
  ];
}

/** Returns the number of frames that a segment is scored from, context included. */
export function fed({ segment }: Run): number {
  return segment.before + segment.count + segment.after;
}
