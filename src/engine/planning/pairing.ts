/** How the frames of two tracks are paired. */
import type { Run } from "../contract/alignment.ts";
import type { Area, Mirroring, SampleMatrix, SampleRange } from "../contract/picture.ts";
import { perSide, type Side } from "../contract/request.ts";
import type { ScalingInfo, Warning } from "../contract/result.ts";
import type { Track } from "../media/track.ts";

/** The side on which only every n-th frame has a partner. */
export interface Thinning {
  readonly side: Side;
  readonly every: number;
}

/** What the samples of a side mean. */
export interface Colours {
  readonly range: SampleRange;
  readonly matrix: SampleMatrix;
}

export interface Recolouring {
  readonly from: Colours;
  readonly to: Colours;
}

export interface Pairing {
  /** Size and planar format that both are scored in. */
  readonly width: number;
  readonly height: number;
  readonly format: string;
  readonly scaling: ScalingInfo | undefined;
  /** Sides whose picture is rotated for display before it is compared. */
  readonly turn: readonly Side[];
  /** The part of a side that is compared, after the rotation; undefined: all of it. */
  readonly crop: Readonly<Record<Side, Area | undefined>>;
  /** How a side is mirrored, after cropping. */
  readonly mirror: Readonly<Record<Side, Mirroring | undefined>>;
  /** How the samples of the distorted video are converted to what the reference's are; undefined: not. */
  readonly recolour: Recolouring | undefined;
  /** The side on which only every n-th frame has a partner, if the rates differ. */
  readonly thin: Thinning | undefined;
  /** Number of frames left on each side after thinning, according to the containers. */
  readonly counts: Readonly<Record<Side, number>>;
  /**
   * The frames that are compared, as the request says; undefined: frame N left after thinning with frame N, from the
   * first on. If one side is thinned, only every n-th of its frames is in a run.
   */
  readonly runs: readonly Run[] | undefined;
  /** Number of frames that are scored. */
  readonly frameCount: number;
  readonly warnings: readonly Warning[];
}

/** Frames left on each side after thinning. */
export function countsOf(
  tracks: Readonly<Record<Side, Track>>,
  thin: Thinning | undefined,
): Pairing["counts"] {
  return perSide((side) => Math.ceil(tracks[side].frames / stepOf({ thin }, side)));
}

/** After how many frames of a side the next one has a partner. */
export function stepOf({ thin }: Pick<Pairing, "thin">, side: Side): number {
  return thin?.side === side ? thin.every : 1;
}

type Frames = Pick<Pairing, "runs" | "frameCount" | "thin">;

/** Returns the runs that a pairing compares; at least one. */
function runsOf({ runs, frameCount }: Omit<Frames, "thin">): readonly Run[] {
  return runs ?? [{ reference: 0, distorted: 0, count: frameCount }];
}

/** Number of pairs in runs. */
export function pairsIn(runs: readonly Run[]): number {
  return runs.reduce((sum, { count }) => sum + count, 0);
}

/** Returns the function from the number of a compared frame to that of a side's own frame. */
export function sourceFrames(pairing: Frames): (side: Side, frame: number) => number {
  const runs = runsOf(pairing);
  let next = 0;
  const firsts = runs.map(({ count }) => {
    next += count;
    return next - count;
  });
  return (side, frame) => {
    let [low, high] = [0, runs.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((firsts[middle] ?? 0) <= frame) low = middle;
      else high = middle - 1;
    }
    return (runs[low]?.[side] ?? 0) + (frame - (firsts[low] ?? 0)) * stepOf(pairing, side);
  };
}

/** Returns the runs of the compared frames from `first` up to and excluding `end`. */
export function runsWithin(pairing: Frames, first: number, end: number): readonly Run[] {
  const within: Run[] = [];
  let next = 0;
  for (const run of runsOf(pairing)) {
    const skip = Math.max(0, first - next);
    const count = Math.min(run.count, end - next) - skip;
    next += run.count;
    if (count > 0) within.push(later(run, skip, count, pairing));
  }
  return within;
}

/** Returns `count` pairs of a run after its first `skip` ones. */
export function later(run: Run, skip: number, count: number, pairing: Pick<Pairing, "thin">): Run {
  const firsts = perSide((side) => run[side] + skip * stepOf(pairing, side));
  return { ...firsts, count };
}
