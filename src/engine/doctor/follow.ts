/**
 * Follows which frames belong together, from the beginnings of both videos to their ends, in windows spread over
 * them. Thresholds were tuned on the corpus of bench/doctor.
 */
import type { Run } from "../contract/alignment.ts";
import { perSide, SIDES, type Side } from "../contract/request.ts";
import type { DecodedPair } from "./areas.ts";
import type { View } from "./space/view.ts";
import { offsetOf } from "./time/segments.ts";
import type { Counts } from "./time-findings.ts";
import {
  type ClearResult,
  endOf,
  examineWindow,
  isClear,
  touchesEnd,
  type Window,
  type WindowResult,
  windowAt,
  within,
} from "./window.ts";

/** Frames of a window. */
const WINDOW = 250;
/** Most windows after the beginning; the last one is at the end. */
const WINDOWS = 6;
/** Most wide searches, which look for the frames of a window in a wider part of the reference. */
const WIDE_SEARCHES = 2;
/** Frames before and after a window that a wide search adds. */
const WIDE = 250;
/** Largest change of the offset, in frames, that a window at the old offset still shows. */
const REACH = 50;
/**
 * Frames at each end of a window that may already have another offset: a change with so few frames after it is not
 * found.
 */
const EDGE = 24;
/** Fewest frames before and after a change that are decoded to find its place. */
const AROUND = 80;
/** Most frames of a side that are decoded to find it. */
const MOST_AROUND = 1500;
/** Frames before and after a change that are decoded for each frame that is lost or added. */
const KEPT = 1.5;
/** Most changes of the offset whose place is searched. */
const MOST_CHANGES = 8;
/** Most windows of the searches for all changes. */
const MOST_SEARCHES = 12 * MOST_CHANGES;
/** Most windows of one search that may show nothing. */
const MOST_BLIND = 4;
/** Most windows at the end. A change that the last window shows moves the end. */
const MOST_ENDS = 3;

export interface Followed {
  /** In the order of the reference's frames, starting with the beginning. */
  readonly results: readonly WindowResult[];
  /** Why windows could not be decoded separately; undefined: they could be. */
  readonly stopped: string | undefined;
}

export interface Beginning {
  readonly pair: DecodedPair;
  /** Its state is not "unclear". */
  readonly result: WindowResult;
  readonly view: View;
  readonly totals: Counts;
}

export async function follow(beginning: Beginning): Promise<Followed> {
  const follower = new Follower(beginning);
  await follower.spread();
  await follower.narrowChanges();
  return { results: follower.results, stopped: follower.stopped };
}

/** A change of the offset between two windows. */
interface Change {
  readonly left: ClearResult;
  readonly right: ClearResult;
  /** Windows between them that show nothing. */
  readonly blind: readonly WindowResult[];
}

class Follower {
  results: WindowResult[];
  stopped: string | undefined;
  readonly #beginning: Beginning;
  /** The windows after changes whose place cannot be found. */
  readonly #givenUp = new Set<WindowResult>();
  #wide = WIDE_SEARCHES;
  #changes = MOST_CHANGES;

  constructor(beginning: Beginning) {
    this.#beginning = beginning;
    this.results = [beginning.result];
  }

  /** Examines windows from the beginning to the end, each at the offset that the previous ones show. */
  async spread(): Promise<void> {
    const { totals, result } = this.#beginning;
    const first = endOf(result.window.reference);
    const rest = overlapEnd(this.#offset(), totals) - first;
    const windows = Math.min(WINDOWS, Math.ceil(rest / WINDOW));
    for (let index = 1; index < windows; index++)
      await this.#find(first + (index * rest) / windows - WINDOW / 2, this.#offset());
    for (let index = 0; index < MOST_ENDS && !this.#isAtEnd(); index++)
      await this.#find(overlapEnd(this.#offset(), totals) - WINDOW, this.#offset());
  }

  /** Halves the interval between windows with different offsets until one window shows the change. */
  async narrowChanges(): Promise<void> {
    for (let searches = 0; searches < MOST_SEARCHES && this.stopped === undefined; searches++) {
      const change = this.#change();
      if (change === undefined) return;
      if (!(await this.#narrow(change))) this.#givenUp.add(change.right);
    }
  }

  /** The offset after the last known change. */
  #offset(): number {
    const known = this.results.findLast(isClear);
    return known === undefined ? 0 : lastOffset(known);
  }

  /** Whether windows reach the end of a video, or cannot be decoded. */
  #isAtEnd(): boolean {
    const { totals } = this.#beginning;
    const end = overlapEnd(this.#offset(), totals);
    const isLast = ({ window }: WindowResult) =>
      touchesEnd(window, totals) && end - endOf(window.reference) < EDGE;
    return this.stopped !== undefined || this.results.some(isLast);
  }

  async #look(window: Window): Promise<WindowResult | undefined> {
    if (this.stopped !== undefined) return undefined;
    const { pair, view } = this.#beginning;
    const result = await examineWindow(pair, window, view);
    if (typeof result !== "string") return result;
    this.stopped = result;
    return undefined;
  }

  #add(result: WindowResult): void {
    this.results = [...this.results, result].sort((one, other) => firstFrame(one) - firstFrame(other));
  }

  /** Adds a window and removes those inside it, which show less. */
  #replace(result: WindowResult): void {
    const isWithin = ({ window }: WindowResult) =>
      SIDES.every((side) => {
        const outer = result.window[side];
        return outer.first <= window[side].first && endOf(window[side]) <= endOf(outer);
      });
    this.results = this.results.filter((one) => !isWithin(one));
    this.#add(result);
  }

  /** Examines a window at an offset and, if its frames do not match there, at other offsets. */
  async #find(first: number, offset: number): Promise<void> {
    const { totals } = this.#beginning;
    const plain = await this.#look(windowAt(first, offset, WINDOW, totals));
    if (plain === undefined) return;
    const found = plain.state === "unclear" ? await this.#elsewhere(plain, offset) : plain;
    this.#add(found ?? plain);
  }

  /** Looks for the frames of a window at the offset of the videos' common end, and in a wider part of the reference. */
  async #elsewhere({ window }: WindowResult, offset: number): Promise<WindowResult | undefined> {
    const { totals } = this.#beginning;
    const atEnds = totals.distorted - totals.reference;
    if (Math.abs(atEnds - offset) > REACH) {
      const other = await this.#look(windowAt(window.distorted.first - atEnds, atEnds, WINDOW, totals));
      if (isClear(other)) return other;
    }
    if (this.#wide-- <= 0) return undefined;
    const { first, count } = window.reference;
    const reference = within({ first: first - WIDE, count: count + 2 * WIDE }, totals.reference);
    const wide = await this.#look({ ...window, reference });
    return isClear(wide) ? wide : undefined;
  }

  /** The first change whose place is not known, except those that were given up. */
  #change(): Change | undefined {
    let left: ClearResult | undefined;
    let blind: WindowResult[] = [];
    for (const result of this.results) {
      if (!isClear(result)) {
        blind.push(result);
        continue;
      }
      const isOpen = left !== undefined && lastOffset(left) !== firstOffset(result);
      if (left !== undefined && isOpen && !this.#givenUp.has(result)) return { left, right: result, blind };
      [left, blind] = [result, []];
    }
    return undefined;
  }

  /** Examines a window inside the interval of a change. Returns false if it showed nothing. */
  async #narrow(change: Change): Promise<boolean> {
    const { totals } = this.#beginning;
    const offsets = [lastOffset(change.left), firstOffset(change.right)] as const;
    const span = between(change);
    const side = SIDES.reduce((one, other) => (span[other].count < span[one].count ? other : one));
    const middle = middleOf(change, side, span[side].first, endOf(span[side]));
    if (span[side].count <= WINDOW || middle === undefined || change.blind.length >= MOST_BLIND)
      return this.#place(span, offsets);
    const apart = Math.abs(offsets[1] - offsets[0]);
    let blind: WindowResult | undefined;
    for (const offset of apart > REACH ? offsets : [offsets[0]]) {
      const first = middle - WINDOW / 2 - (side === "reference" ? 0 : offset);
      const seen = await this.#look(windowAt(first, offset, WINDOW, totals));
      if (seen === undefined) return false;
      blind = seen;
      if (isClear(seen)) break;
    }
    if (blind !== undefined) this.#add(blind);
    return true;
  }

  /** Examines all frames between the windows of a change. Returns false if they do not show its place. */
  async #place(span: Window, offsets: readonly [number, number]): Promise<boolean> {
    const { totals } = this.#beginning;
    // An alignment must not lose more frames than it keeps on either side of the change.
    const around = Math.max(AROUND, Math.ceil(KEPT * Math.abs(offsets[1] - offsets[0])));
    const window = perSide((side) => {
      const { first, count } = span[side];
      return within({ first: first - around, count: count + 2 * around }, totals[side]);
    });
    if (SIDES.some((side) => window[side].count > MOST_AROUND) || this.#changes-- <= 0) return false;
    const seen = await this.#look(window);
    if (seen?.time?.state !== "shifted") return false;
    const placed: ClearResult = { ...seen, time: seen.time, state: "clear" };
    if (firstOffset(placed) !== offsets[0] || lastOffset(placed) !== offsets[1]) return false;
    this.#replace(placed);
    return true;
  }
}

/** The end of the reference's frames that have a counterpart at an offset. */
function overlapEnd(offset: number, totals: Counts): number {
  return Math.min(totals.reference, totals.distorted - offset);
}

/** The first frame of the reference that a window shows. */
function firstFrame(result: WindowResult): number {
  const [run] = isClear(result) ? result.time.runs : [];
  return run?.reference ?? result.window.reference.first;
}

export function firstOffset({ time }: ClearResult): number {
  const [run] = time.runs;
  return run === undefined ? 0 : offsetOf(run);
}

function lastOffset({ time }: ClearResult): number {
  const run = time.runs.at(-1);
  return run === undefined ? 0 : offsetOf(run);
}

/** The frames of each side between the runs of two windows, including the uncertain frames at the windows' ends. */
export function between({ left, right }: Pick<Change, "left" | "right">): Window {
  const [before, after] = [left.time.runs.at(-1), right.time.runs[0]];
  if (before === undefined || after === undefined) return perSide(() => ({ first: 0, count: 0 }));
  const from = inner(before, before.count - EDGE);
  const to = inner(after, EDGE);
  return perSide((side) => ({ first: from[side], count: Math.max(0, to[side] - from[side]) }));
}

/** The frames of both sides at an index of a run, limited to the run. */
function inner(run: Run, index: number): Readonly<Record<Side, number>> {
  const skipped = Math.max(0, Math.min(run.count, index));
  return perSide((side) => run[side] + skipped);
}

/** The middle of the longest interval of a side that no window has covered; undefined: it is too short for a window. */
function middleOf({ blind }: Change, side: Side, from: number, to: number): number | undefined {
  const edges = [from, ...blind.flatMap(({ window }) => [window[side].first, endOf(window[side])]), to];
  let best: { middle: number; length: number } | undefined;
  for (let index = 0; index < edges.length; index += 2) {
    const [first, end] = [edges[index] ?? to, edges[index + 1] ?? to];
    if (end - first > (best?.length ?? 0)) best = { middle: (first + end) / 2, length: end - first };
  }
  return best !== undefined && best.length >= WINDOW ? best.middle : undefined;
}
