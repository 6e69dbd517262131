/**
 * Relates two videos by their pictures: finds the map between their picture areas, and which frames show the same.
 * Thresholds were tuned on the development half of the corpus of bench/doctor.
 */
import { isDeepStrictEqual } from "node:util";
import type { Run } from "../contract/alignment.ts";
import type { Side } from "../contract/request.ts";
import { LUMA, type Pictures } from "../media/pictures.ts";
import { pairsIn } from "../planning/pairing.ts";
import type { FramePair } from "./samples/block-means.ts";
import type { BothPictures } from "./samples/content.ts";
import { pairPlanes, viewInsideBars } from "./space/bars.ts";
import { type FoundView, findView } from "./space/find.ts";
import { type Layout, layoutOf } from "./space/layout.ts";
import { lumaPlane, type Plane } from "./space/plane.ts";
import { judge } from "./space/register.ts";
import { IDENTITY, isInPlace, type Turn, UPRIGHT, type View } from "./space/view.ts";
import { alignTime, type TimeRelation } from "./time/align.ts";
import { crudeMatch } from "./time/crude.ts";
import {
  MIRRORED_HORIZONTALLY,
  MIRRORED_VERTICALLY,
  type View as TimeView,
  IDENTITY as WHOLE,
} from "./time/view.ts";

/** Number of frames on which the picture areas are registered. */
const REGISTERED = 6;
/** Number of frames whose samples are compared. */
const COMPARED = 24;
/** Match of whole frames in step from which the first guess tries no other view. */
const ALIKE = 0.95;
/** A view is used if it leaves less than this part of the mismatch (1 − match) that there is without it. */
const BETTER = 0.8;
/** How far borders may differ between two views that count as the same, as a fraction of the frame. */
const SAME_VIEW = 0.75 / LUMA.width;
/** By how much a mirrored view must match better. Frames of a moving camera match roughly both ways. */
const CLEARLY = 0.05;

export interface Relation {
  readonly view: View;
  /** Correlation of aligned pictures in the view, −1 to 1. */
  readonly match: number;
  /** The same correlation without a turn. */
  readonly upright: number;
  readonly layout: Layout | undefined;
  readonly time: TimeRelation;
  /** Frames that show the same, spread over the video. Their samples are compared. */
  readonly frames: readonly FramePair[];
}

export interface RelateOptions {
  /** Frames of the distorted video for each frame of the reference. */
  readonly ratio: number;
  /** Largest offset to look for, in frames of the slower side. */
  readonly limit: number;
  /** The view of other frames of the pair; undefined: not known. */
  readonly view?: View | undefined;
  /** Indexes of the distorted pictures that are key frames; undefined: not known. */
  readonly keys?: readonly number[] | undefined;
  /** The runs of frames with the same times, if a side has gaps in its timestamps; undefined: not known. */
  readonly byTimestamps?: readonly Run[] | undefined;
}

/**
 * Relates the geometry first, because a crop of a moving picture looks like a shift in time; then the time; then the
 * geometry again, on the frames that belong together.
 */
export function relate(pictures: BothPictures, options: RelateOptions): Relation {
  const { found, time } = preferSimpler(pictures, settle(pictures, options), options);
  const frames = pairsAlong(time, COMPARED, options);
  const planes = planesOf(pictures, pairsAlong(time, REGISTERED, options));
  if (planes.reference.length === 0)
    return { view: IDENTITY, match: 0, upright: 0, layout: undefined, time, frames };
  const pairs = pairPlanes(planes.reference, planes.distorted, found.turn);
  const judged = judge(pairs, found);
  const isUpright = isDeepStrictEqual(found, IDENTITY);
  const upright = isUpright ? judged.match : matchWhole(planes, UPRIGHT);
  return { view: found, match: judged.match, upright, layout: layoutOf(pairs, judged), time, frames };
}

interface Settled {
  readonly found: View;
  readonly time: TimeRelation;
}

function settle(pictures: BothPictures, options: RelateOptions): Settled {
  const { reference, distorted } = pictures;
  const start = options.view === undefined ? firstView(pictures, options.limit) : undefined;
  let found = start?.found ?? options.view ?? IDENTITY;
  let time = alignTime(reference, distorted, { ...options, view: timeViewOf(found) });
  const aligned = pairsAlong(time, REGISTERED, options);
  if (!isDeepStrictEqual([aligned, found], [start?.frames, start?.guess])) {
    const again = viewOn(pictures, aligned, found);
    if (!isSame(again, found)) {
      found = again;
      time = alignTime(reference, distorted, { ...options, view: timeViewOf(found) });
    }
  }
  return { found, time };
}

/**
 * Uses a simpler view than a part of the frames, if other frames match at least as well in it: movement can look like
 * a crop.
 */
function preferSimpler(pictures: BothPictures, settled: Settled, options: RelateOptions): Settled {
  const { found, time } = settled;
  const whole = { ...IDENTITY, turn: found.turn };
  if (isSame(found, whole) || time.runs.every((run) => run.reference === run.distorted)) return settled;
  const matchOf = (view: View, of: TimeRelation) => {
    const planes = planesOf(pictures, pairsAlong(of, REGISTERED, options));
    return judge(pairPlanes(planes.reference, planes.distorted, view.turn), view).match;
  };
  for (const view of simplerViews(pictures, settled, options)) {
    if (isSame(view, found)) continue;
    const moved = alignTime(pictures.reference, pictures.distorted, { ...options, view: timeViewOf(view) });
    if (matchOf(view, moved) >= matchOf(found, time)) return { found: view, time: moved };
  }
  return settled;
}

/**
 * Views that explain the pair without movement or without a crop: the whole frames, everything inside the bars, and a
 * part of frames in step.
 */
function simplerViews(pictures: BothPictures, { found, time }: Settled, options: RelateOptions): View[] {
  const { turn } = found;
  const { reference, distorted } = pictures;
  const unbarred = viewInsideBars(planesOf(pictures, pairsAlong(time, REGISTERED, options)), turn);
  const inStep: Run[] = [{ reference: 0, distorted: 0, count: reference.count }];
  const isEqual = options.ratio === 1 && reference.count === distorted.count;
  const still = isEqual ? [viewOn(pictures, spread(inStep, REGISTERED), found)] : [];
  return [{ ...IDENTITY, turn }, unbarred, ...still];
}

/** Guesses the time and the view, and finds the view on the guessed frames. */
function firstView(pictures: BothPictures, limit: number) {
  const { runs, view: guess } =
    inPlace(pictures) ?? firstGuess(pictures.reference, pictures.distorted, limit);
  const frames = spread(runs, REGISTERED);
  return { frames, guess, found: viewOn(pictures, frames, guess) };
}

/** Guesses whole frames in step, if they match so well that no other guess can be better; else undefined. */
function inPlace(pictures: BothPictures) {
  const count = Math.min(pictures.reference.count, pictures.distorted.count);
  const runs: Run[] = [{ reference: 0, distorted: 0, count }];
  const planes = planesOf(pictures, spread(runs, REGISTERED));
  return matchWhole(planes, UPRIGHT) >= ALIKE ? { runs, view: IDENTITY } : undefined;
}

function firstGuess(reference: Pictures, distorted: Pictures, limit: number) {
  const views = [WHOLE, MIRRORED_HORIZONTALLY, MIRRORED_VERTICALLY];
  const matches = crudeMatch(reference, distorted, { views, limit });
  const plain = matches.find(({ view }) => view === WHOLE);
  const [best = plain] = matches;
  const chosen = plain === undefined || (best?.score ?? 0) > plain.score + CLEARLY ? best : plain;
  const offset = chosen?.offset ?? 0;
  const [r, d] = [Math.max(0, -offset), Math.max(0, offset)];
  const count = Math.max(0, Math.min(reference.count - r, distorted.count - d));
  const runs: Run[] = count > 0 ? [{ reference: r, distorted: d, count }] : [];
  const turn: Turn = {
    transposed: false,
    mirrorX: chosen?.view === MIRRORED_HORIZONTALLY,
    mirrorY: chosen?.view === MIRRORED_VERTICALLY,
  };
  return { runs, view: { ...IDENTITY, turn } };
}

/** The view in which frames match best; the whole frames, unless another view is clearly better. */
function viewOn(pictures: BothPictures, frames: readonly FramePair[], guess: View): View {
  if (frames.length === 0) return IDENTITY;
  const planes = planesOf(pictures, frames);
  const guesses = [guess, viewInsideBars(planes, guess.turn)];
  const found: FoundView = findView(planes.reference, planes.distorted, guesses);
  if (found.turn === UPRIGHT && isInPlace(found)) return IDENTITY;
  const whole = matchWhole(planes, found.turn);
  const isClear = 1 - found.match < BETTER * (1 - whole);
  const upright = found.turn === UPRIGHT ? whole : matchWhole(planes, UPRIGHT);
  const turn = 1 - Math.max(found.match, whole) < BETTER * (1 - upright) ? found.turn : UPRIGHT;
  return isClear && turn === found.turn ? found : { ...IDENTITY, turn };
}

/** How well the whole frames match after a turn. */
function matchWhole({ reference, distorted }: Planes, turn: Turn): number {
  return judge(pairPlanes(reference, distorted, turn), IDENTITY).match;
}

function isSame(one: View, other: View): boolean {
  const near = (a: View["x"], b: View["x"]) =>
    Math.abs(a.shift - b.shift) < SAME_VIEW && Math.abs(a.scale + a.shift - b.scale - b.shift) < SAME_VIEW;
  return (
    JSON.stringify(one.turn) === JSON.stringify(other.turn) && near(one.x, other.x) && near(one.y, other.y)
  );
}

/** Converts a view for the alignment in time, which cannot exchange rows and columns. */
function timeViewOf(view: View): TimeView {
  const { turn, x, y } = view;
  if (turn.transposed || isSame(view, IDENTITY)) return WHOLE;
  const mirrored = ({ scale, shift }: View["x"], is: boolean) =>
    is ? { scale: -scale, shift: 1 - shift } : { scale, shift };
  return { x: mirrored(x, turn.mirrorX), y: mirrored(y, turn.mirrorY) };
}

/**
 * Pairs of frames that are spread over the runs of an alignment, away from the ends. Runs count frames of the slower
 * side.
 */
function pairsAlong({ runs }: TimeRelation, count: number, { ratio }: RelateOptions): readonly FramePair[] {
  return spread(runs, count).map((pair) => ({
    reference: Math.round(ratio < 1 ? pair.reference / ratio : pair.reference),
    distorted: Math.round(ratio > 1 ? pair.distorted * ratio : pair.distorted),
  }));
}

function spread(runs: readonly Run[], count: number): readonly FramePair[] {
  const all = pairsIn(runs);
  const wanted = Math.min(count, all);
  return Array.from({ length: wanted }, (_, index) => {
    let at = Math.floor(((index + 0.5) * all) / wanted);
    for (const run of runs) {
      if (at < run.count) return { reference: run.reference + at, distorted: run.distorted + at };
      at -= run.count;
    }
    return { reference: 0, distorted: 0 };
  });
}

type Planes = Readonly<Record<Side, readonly Plane[]>>;

function planesOf(pictures: BothPictures, frames: readonly FramePair[]): Planes {
  const of = (side: Side) =>
    frames
      .filter(
        (pair) => pair.reference < pictures.reference.count && pair.distorted < pictures.distorted.count,
      )
      .map((pair) => lumaPlane(pictures[side], pair[side]));
  return { reference: of("reference"), distorted: of("distorted") };
}
