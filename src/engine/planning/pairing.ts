/** How the frames of two tracks are paired: by number, or in the runs that a request says to compare. Pure. */
import { Failure, invalid } from "../../platform/failure.ts";
import type { AlignmentInfo, Length, Run } from "../contract/alignment.ts";
import type { Area, Mirroring, SampleMatrix, SampleRange } from "../contract/picture.ts";
import { type PairRequest, perSide, SIDES, type Side } from "../contract/request.ts";
import type { ScalingInfo, Warning } from "../contract/result.ts";
import { toNumber } from "../media/rational.ts";
import { framesText, NAMES, type Track } from "../media/track.ts";

/** The side on which only every n-th frame has a partner. */
export interface Thinning {
  readonly side: Side;
  readonly every: number;
}

/** The meaning of a side's samples. */
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
  /** The conversion of the distorted video's samples to the reference's range and matrix; undefined: none. */
  readonly recolour: Recolouring | undefined;
  /** The side on which only every n-th frame has a partner, if the rates differ. */
  readonly thin: Thinning | undefined;
  /** Number of frames that remain on each side after thinning, according to the containers. */
  readonly counts: Readonly<Record<Side, number>>;
  /**
   * The compared frames, if the request lists them; undefined: frame N is compared with frame N, counted
   * after thinning. If one side is thinned, only every n-th of its frames is in a run.
   */
  readonly runs: readonly Run[] | undefined;
  /** Number of frames that are scored. */
  readonly frameCount: number;
  readonly warnings: readonly Warning[];
}

/** Returns the number of frames that remain on each side after thinning. */
export function countsOf(
  tracks: Readonly<Record<Side, Track>>,
  thin: Thinning | undefined,
): Pairing["counts"] {
  return perSide((side) => Math.ceil(tracks[side].frames / stepOf({ thin }, side)));
}

/** Returns the distance in frames from one frame of a side with a partner to the next. */
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
function later(run: Run, skip: number, count: number, pairing: Pick<Pairing, "thin">): Run {
  const firsts = perSide((side) => run[side] + skip * stepOf(pairing, side));
  return { ...firsts, count };
}

type Tracks = Readonly<Record<Side, Track>>;
type Thinned = Pick<Pairing, "thin">;

/** Returns the runs of a request. Throws INVALID_REQUEST if the tracks do not have its frames. */
export function alignedRuns(
  tracks: Tracks,
  thin: Thinning | undefined,
  request: PairRequest,
): readonly Run[] {
  const { runs, offset = 0 } = request;
  for (const [index, run] of (runs ?? []).entries()) refusePastEnd(run, index, tracks);
  const wanted = wantedFrames(tracks.reference, request);
  const kept = (runs ?? overlap(tracks, { thin }, offset)).flatMap((run) => clip(run, wanted, { thin }));
  if (kept.length === 0) throw nothingLeft(tracks, request);
  return kept;
}

/**
 * Whether runs leave out frames that the request did not exclude. A request excludes frames outside of
 * `runs`, frames without a partner at its `offset`, and frames before `start` or after `duration`.
 */
export function lacksFrames(tracks: Tracks, pairing: Pick<Pairing, "thin">, request: PairRequest): boolean {
  if (request.runs !== undefined || request.offset !== undefined) return false;
  const counts = countsOf(tracks, pairing.thin);
  if (request.duration === undefined) return counts.reference !== counts.distorted;
  const { end } = wantedFrames(tracks.reference, request);
  return counts.distorted < Math.ceil(end / stepOf(pairing, "reference"));
}

interface Range {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** Returns the frames of the reference that the request asks for. Throws INVALID_REQUEST if it ends before them. */
function wantedFrames(reference: Track, { start = 0, duration }: PairRequest): Range {
  const first = framesOf("start", start, reference);
  if (first >= reference.frames)
    throw invalid(
      `start is frame ${first}, but the reference has ${framesText(reference.frames)}, numbered from 0. Start earlier.`,
    );
  if (duration === undefined) return { first, end: reference.frames };
  const end = first + Math.max(1, framesOf("duration", duration, reference));
  if (end <= reference.frames) return { first, end };
  throw invalid(
    `start and duration ask for frames ${first} to ${end - 1}, but the reference has ${framesText(reference.frames)}, numbered from 0. Ask for ${reference.frames - first} at most from there on.`,
  );
}

function framesOf(name: "start" | "duration", length: Length, { rate }: Track): number {
  if (typeof length === "number") return length;
  if (rate !== undefined) return Math.round(length.seconds * toNumber(rate));
  throw invalid(
    `${name} is ${length.seconds} s, but the reference states no frame rate. Give ${name} in frames.`,
  );
}

function refusePastEnd({ count, ...first }: Run, index: number, tracks: Tracks): void {
  for (const side of SIDES) {
    const { frames } = tracks[side];
    if (first[side] + count <= frames) continue;
    throw invalid(
      `runs[${index}] ends with frame ${first[side] + count - 1} of the ${NAMES[side]}, which has ${framesText(frames)}, numbered from 0. Shorten the run.`,
    );
  }
}

/**
 * Returns the run of all frames that both sides have. The distorted video's frames begin with the one that
 * shows the reference's first frame.
 */
function overlap(tracks: Tracks, thinned: Thinned, offset: number): readonly Run[] {
  const [step, other] = [stepOf(thinned, "reference"), stepOf(thinned, "distorted")];
  const skipped = Math.max(0, Math.ceil(-offset / other));
  const first = { reference: skipped * step, distorted: offset + skipped * other };
  const left = (side: Side): number => Math.ceil((tracks[side].frames - first[side]) / stepOf(thinned, side));
  const count = Math.min(left("reference"), left("distorted"));
  return count > 0 ? [{ ...first, count }] : [];
}

/** Returns the part of a run whose frames of the reference are in a range. */
function clip(run: Run, { first, end }: Range, thinned: Thinned): readonly Run[] {
  const step = stepOf(thinned, "reference");
  const before = (frame: number): number =>
    Math.min(run.count, Math.max(0, Math.ceil((frame - run.reference) / step)));
  const [skip, count] = [before(first), before(end) - before(first)];
  return count > 0 ? [later(run, skip, count, thinned)] : [];
}

function nothingLeft({ reference, distorted }: Tracks, { offset }: PairRequest): Failure {
  const moved = offset === undefined ? "" : ` with the offset ${offset}`;
  const has = `The reference has ${framesText(reference.frames)} and the distorted video ${framesText(distorted.frames)}`;
  return new Failure(
    "INVALID_REQUEST",
    `${has}:${moved} no frame that the request asks for has a partner. Change offset, start, duration or runs.`,
  );
}

/** Returns the alignment for a result; undefined if the request asked for none. */
export function alignmentInfo(pairing: Pairing): AlignmentInfo | undefined {
  const { runs, counts, frameCount } = pairing;
  if (runs === undefined) return undefined;
  return {
    runs,
    referenceStep: stepOf(pairing, "reference"),
    distortedStep: stepOf(pairing, "distorted"),
    referenceLeftOut: counts.reference - frameCount,
    distortedLeftOut: counts.distorted - frameCount,
  };
}

export function alignedWarning(pairing: Pairing, runs: readonly Run[]): Warning {
  const { counts, frameCount } = pairing;
  const [first] = runs;
  const last = (side: Side): number => (first?.[side] ?? 0) + (frameCount - 1) * stepOf(pairing, side);
  const what =
    runs.length > 1 || first === undefined
      ? `${frameCount} pairs of frames in ${runs.length} runs were compared`
      : `frames ${first.reference} to ${last("reference")} of the reference were compared with frames ${first.distorted} to ${last("distorted")} of the distorted video`;
  const out = `${framesText(counts.reference - frameCount)} of the reference and ${counts.distorted - frameCount} of the distorted video were left out`;
  return { code: "ALIGNED", message: `As requested, ${what}; ${out}.` };
}
