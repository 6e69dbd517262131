/** Plans a pair of large videos without fetching them: the index of an MP4 lists its frames. */
import { type PairRequest, perSide, SIDES, type Side } from "../contract/request.ts";
import { fetchBoth, fetchWhole, type Sources } from "../files/source.ts";
import { bothSides } from "../media/all-or-abort.ts";
import { probe } from "../media/probe.ts";
import type { ProbeContext } from "../media/probe-context.ts";
import type { Track } from "../media/track.ts";
import { probeIndexed } from "../mp4/probe-indexed.ts";
import { type Plan, type PlanOptions, planProbed } from "./plan.ts";

/**
 * Minimum bytes of a video that is planned by its index. A smaller one is fetched in 2 s at 1 Gbit/s, and its
 * packets are hashed so that segments can be reused by content.
 */
const LARGE = 256 * 2 ** 20;

/**
 * Returns the plan. If the videos are needed whole, for example for a single segment, fetches them whole and
 * returns undefined. Failures are ignored, because planning the whole videos then finds what is wrong with
 * them.
 */
export async function planByIndex(
  sources: Sources,
  request: PairRequest,
  options: PlanOptions,
): Promise<Plan | undefined> {
  const planned = await tryByIndex(sources, request, options).catch(() => undefined);
  options.signal.throwIfAborted();
  if (planned === undefined) await fetchBoth(sources);
  return planned;
}

async function tryByIndex(
  sources: Sources,
  request: PairRequest,
  options: PlanOptions,
): Promise<Plan | undefined> {
  const isLarge = perSide((side) => sources[side].fetch !== undefined && sources[side].size >= LARGE);
  // A diagnosis examines both videos completely, and there are too many units to keep a part of the file for each.
  const needsAll =
    request.fix === true || request.editLists === "IGNORE" || options.segmentLength === "units";
  if (needsAll || SIDES.every((side) => !isLarge[side])) return undefined;
  const tracks = await bothSides(options.signal, (side, signal) =>
    probeSide(sources, side, request, { ...options, signal }, isLarge[side]),
  );
  if (SIDES.every((side) => tracks[side].indexed === undefined)) return undefined;
  const planned = planProbed(tracks, sources, request, options);
  return planned !== undefined && planned.segments.length > 1 ? planned : undefined;
}

async function probeSide(
  sources: Sources,
  side: Side,
  request: PairRequest,
  { ffmpeg, ...context }: ProbeContext,
  isLarge: boolean,
): Promise<Track> {
  const source = sources[side];
  const indexed =
    isLarge && ffmpeg !== undefined ? await probeIndexed(source, { ...context, ffmpeg }) : undefined;
  if (indexed !== undefined) return indexed;
  await fetchWhole(source);
  return probe(source, request, { ...context, ffmpeg });
}
