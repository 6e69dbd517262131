/** The commands of a score by Netflix's vmaf: what feeds each side, and the scorer's own. */
import { EVERY_FRAME, QUIET } from "./ffmpeg.ts";
import { isVerbatim, sideChain } from "./graph.ts";
import { inputArguments } from "./input.ts";
import { pictureOutput, scoringThreads } from "./redecode.ts";
import { SIDES, type Side } from "./request.ts";
import { inputName } from "./sandbox.ts";
import { LIBVMAF_FEATURE, LOG_FILE, modelOption, type Run } from "./scorer.ts";

/** How one side reaches vmaf. */
export interface Feed {
  /** File or FIFO in the working directory. */
  readonly name: string;
  /** ffmpeg's command that fills the FIFO; undefined for a file that goes straight in. */
  readonly decoder: readonly string[] | undefined;
}

export type Feeds = Readonly<Record<Side, Feed>>;

/** How a side reaches vmaf: straight, where it reads the file as it is, else decoded into a pipe. */
export function feed(run: Run, side: Side): Feed {
  if (isStraight(run, side)) return { name: inputName(run.sources[side]), decoder: undefined };
  const name = `${side}.pipe.yuv`;
  const track = run.tracks[side];
  const chain = sideChain(track, run.pairing, run.segment.cut?.[side].range);
  const decoder = [
    ...QUIET,
    ...["-progress", "pipe:1", "-stats_period", "0.3", "-xerror", "-y"],
    ...[...scoringThreads(track, run.threads), ...inputArguments(run, side)],
    ...["-filter_complex", `[0:V:0]${chain}${track.selfChecking ? "" : ",split[pictures]"}[out]`],
    // Bare planes: what a y4m header says of chroma and fields makes some releases convert or refuse.
    ...["-map", "[out]", ...EVERY_FRAME, "-f", "rawvideo", name],
    ...(track.selfChecking ? [] : ["-map", "[pictures]", ...EVERY_FRAME, ...pictureOutput(track, side)]),
  ];
  return { name, decoder };
}

/**
 * Whether a side's file goes into vmaf itself. It takes both sides as bare planes or
 * both as y4m, so a y4m file does only beside another; a part of a file never does.
 */
function isStraight(run: Run, side: Side): boolean {
  const fits = (one: Side): boolean => run.tracks[one].straight && isVerbatim(run.tracks[one], run.pairing);
  if (run.segment.cut !== undefined || !fits(side)) return false;
  return run.tracks[side].samples === "raw" || bothY4m(run, fits);
}

function bothY4m({ tracks }: Run, fits: (side: Side) => boolean): boolean {
  return SIDES.every((side) => tracks[side].samples === "y4m" && fits(side));
}

/** The command line of a score; every file stands in the working directory under a fixed name. */
export function scoreArguments(run: Run, feeds: Feeds): readonly string[] {
  const straight = SIDES.filter((side) => feeds[side].decoder === undefined);
  const y4m = straight.length === SIDES.length && run.tracks.reference.samples === "y4m";
  const { pairing } = run;
  const [, chroma = "", depth = "8"] = /^yuv(4\d\d)p(\d+)?/.exec(pairing.format) ?? [];
  return [
    ...["-r", feeds.reference.name, "-d", feeds.distorted.name],
    ...(y4m ? [] : ["-w", String(pairing.width), "-h", String(pairing.height), "-p", chroma, "-b", depth]),
    ...run.models.flatMap((model, index) => ["-m", modelOption(model, index, ":")]),
    ...run.features.flatMap((feature) => ["--feature", LIBVMAF_FEATURE[feature]]),
    ...[
      "--csv",
      "-o",
      LOG_FILE,
      "--threads",
      String(run.threads),
      "--subsample",
      String(run.subsample),
      "-q",
    ],
    ...(straight.length > 0 ? ["--frame_cnt", String(fed(run))] : []),
  ];
}

/** Frames that a segment is scored from. */
export function fed({ segment }: Run): number {
  return segment.before + segment.count + segment.after;
}
