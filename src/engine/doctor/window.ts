/** Windows: consecutive frames of each side that are decoded separately, and what their pictures show. */

import { Failure } from "../../platform/failure.ts";
import type { Finding, FrameSpan } from "../contract/finding.ts";
import { perSide, SIDES, type Side } from "../contract/request.ts";
import { decodePictures } from "../decoding/pictures.ts";
import { bothSides } from "../media/all-or-abort.ts";
import { framesText, NAMES } from "../media/track.ts";
import { cutAlone } from "../planning/cut.ts";
import type { Pairing } from "../planning/pairing.ts";
import type { DecodedPair } from "./areas.ts";
import { examinePlace, type Place } from "./examine.ts";
import type { BothPictures } from "./samples/content.ts";
import type { View } from "./space/view.ts";
import type { TimeRelation } from "./time/align.ts";
import { keyFramesWithin } from "./time/key-frames.ts";
import { type Counts, LEAST_CHECKED, movedBy } from "./time-findings.ts";

export type Window = Readonly<Record<Side, FrameSpan>>;

export interface Decoded {
  readonly pair: DecodedPair;
  readonly pictures: BothPictures;
}

/** Returns the pictures of a window, or why it cannot be decoded separately. */
export async function decodeWindow(pair: DecodedPair, window: Window): Promise<Decoded | string> {
  const counts = perSide((side) => window[side].count);
  const cut = cutOut(pair, window, Math.max(counts.reference, counts.distorted));
  if (typeof cut === "string") return cut;
  const pictures = await withoutCorrupt(() =>
    bothSides(pair.context.signal, async (side, signal) => {
      const own = cutOut(pair, window, counts[side]);
      const span = { first: 0, count: counts[side] };
      return decodePictures(typeof own === "string" ? cut : own, side, span, { ...pair.context, signal });
    }),
  );
  if (typeof pictures === "string") return pictures;
  const wrong = SIDES.find((side) => pictures[side].count !== counts[side]);
  if (wrong === undefined) return { pair: cut, pictures };
  const delivered = framesText(pictures[wrong].count);
  return `The ${NAMES[wrong]} delivered ${delivered} instead of ${counts[wrong]} from frame ${window[wrong].first} on.`;
}

/**
 * Returns the message of MEDIA_CORRUPT instead of throwing it: decoding from the middle of a file can report damage
 * that does not exist.
 */
async function withoutCorrupt<Result>(work: () => Promise<Result>): Promise<Result | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.code === "MEDIA_CORRUPT") return error.message;
    throw error;
  }
}

/** Returns the pair of `count` frames of each side from the beginning of a window, or why it cannot be cut. */
function cutOut(pair: DecodedPair, window: Window, count: number): DecodedPair | string {
  const run = { ...perSide((side) => window[side].first), count };
  const pairing: Pairing = { ...pair.pairing, runs: [run], frameCount: count };
  const segment = cutAlone(pair.tracks, pairing);
  return typeof segment === "string" ? segment : { ...pair, pairing, segment, firstPicture: 0 };
}

/** What a window shows, with frames numbered as in the videos. */
export interface WindowResult {
  readonly window: Window;
  readonly time: TimeRelation | undefined;
  /** Findings about the content and the picture area. */
  readonly areas: readonly Finding[];
  /**
   * clear: it is known how its frames belong together.
   * silent: the pictures move too little to show it, but contradict nothing.
   * unclear: its frames do not belong together as expected, and it is not known how else.
   */
  readonly state: "clear" | "silent" | "unclear";
}

/** The result of a window that shows how its frames belong together. */
export type ClearResult = WindowResult & { readonly time: TimeRelation; readonly state: "clear" };

export function isClear(result: WindowResult | undefined): result is ClearResult {
  return result?.state === "clear";
}

/**
 * Examines a window in the view that other frames of the pair have. Returns why it cannot be decoded separately, if
 * so.
 */
export async function examineWindow(
  pair: DecodedPair,
  window: Window,
  view: View,
): Promise<WindowResult | string> {
  const decoded = await decodeWindow(pair, window);
  if (typeof decoded === "string") return decoded;
  const keys = keyFramesWithin(pair.tracks.distorted, window.distorted);
  const place = await examinePlace(decoded.pair, { pictures: decoded.pictures, ratio: 1, view, keys });
  return resultOf(place, window);
}

export function resultOf(place: Place, window: Window): WindowResult {
  const first = perSide((side) => window[side].first);
  const time = place.time && movedBy(first, place.time);
  return { window, time, areas: place.areas, state: stateOf(place) };
}

function stateOf({ time, areas }: Place): WindowResult["state"] {
  // Pictures without detail cannot be related.
  if (time === undefined) return areas.every(({ code }) => code === "NOT_CHECKED") ? "silent" : "unclear";
  if (time.state === "aligned") return time.checked < LEAST_CHECKED ? "silent" : "clear";
  return time.state === "shifted" && time.confidence === "certain" ? "clear" : "unclear";
}

/**
 * A window of equal counts at an offset that begins as near to `first` as the videos allow. `totals` are the frame
 * counts of the videos.
 */
export function windowAt(first: number, offset: number, count: number, totals: Counts): Window {
  const earliest = Math.max(0, -offset);
  const latest = Math.min(totals.reference, totals.distorted - offset) - count;
  const reference = Math.max(earliest, Math.min(Math.round(first), latest));
  const length = Math.max(0, Math.min(count, latest + count - earliest));
  return {
    reference: { first: reference, count: length },
    distorted: { first: reference + offset, count: length },
  };
}

/** The part of a span inside a video. */
export function within({ first, count }: FrameSpan, total: number): FrameSpan {
  const [from, end] = [Math.max(0, first), Math.min(total, first + count)];
  return { first: from, count: Math.max(0, end - from) };
}

export function endOf({ first, count }: FrameSpan): number {
  return first + count;
}

/** Whether a window contains the last frame of a side. */
export function touchesEnd(window: Window, totals: Counts): boolean {
  return SIDES.some((side) => endOf(window[side]) >= totals[side]);
}
