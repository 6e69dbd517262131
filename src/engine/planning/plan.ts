/** Plans a score: probes both files, checks that they can be compared, and cuts the pair into segments. */

import { MAX_SEGMENTS } from "../../jobs/request-limits.ts";
import { firstFrames, MOST_SPANS } from "../../jobs/scores/spans.ts";
import type { Repair } from "../contract/fix.ts";
import { type PairRequest, perSide, SIDES, type Side } from "../contract/request.ts";
import { unitFrames } from "../estimate/unit-frames.ts";
import type { Source, Sources } from "../files/source.ts";
import { bothSides } from "../media/all-or-abort.ts";
import { countFrames } from "../media/count.ts";
import { probe } from "../media/probe.ts";
import type { ProbeContext } from "../media/probe-context.ts";
import { toNumber } from "../media/rational.ts";
import type { Track } from "../media/track.ts";
import { pair } from "./compare.ts";
import { segmentContent, withCoverages } from "./content.ts";
import { type Cutting, cut } from "./cut.ts";
import { countsSuffice, settleCounts } from "./frame-counts.ts";
import { chromaWarnings, factsOf, refuseUnscorable } from "./model-facts.ts";
import { chooseModels, type Model, type RequestedModel } from "./models.ts";
import type { Pairing } from "./pairing.ts";
import { comparedRate } from "./rates.ts";
import { comparedSize } from "./shapes.ts";
import { refuseXpsnr, xpsnrOf, xpsnrWarnings } from "./xpsnr.ts";

/** A plan before it is cut. */
interface Draft {
  readonly request: PairRequest;
  readonly tracks: Readonly<Record<Side, Track>>;
  readonly pairing: Pairing;
}

export interface Plan extends Draft, Cutting {
  readonly models: readonly Model[];
  /** The repair, whose fix is part of the request; undefined: none was made. */
  readonly repair?: Repair | undefined;
  /** First frames of the stream's segments, if the distorted video is a rendition of a stream and they are known. */
  readonly streamSegments?: readonly number[] | undefined;
  /** The content that each segment is decoded from (content.ts). Absent in a plan that another machine made. */
  readonly contents?: readonly (string | undefined)[];
}

export interface PlanOptions extends ProbeContext {
  readonly models: readonly RequestedModel[];
  /** Approximate length of a segment; undefined: score the pair whole. */
  readonly segmentLength: SegmentLength | undefined;
}

/** "units": segments of the frames that are drawn together for a sample. */
export type SegmentLength = { readonly frames: number } | { readonly seconds: number } | "units";

/** Frames per second assumed for segments in seconds if neither file states a rate. */
const ASSUMED_RATE = 25;
/**
 * At low rates (slides, time lapse) a segment of seconds has few frames; starting the scorer would cost more than
 * scoring.
 */
const FEWEST_FRAMES = 24;
/**
 * Factor of the length of segments if a video is fetched. Each segment needs some 40 packets after its end,
 * which the node of the next segment fetches again: at 25 frames per second, these are 15 % of 10 s, but 9 %
 * of 16 s.
 */
const LONGER = 1.6;

/** Throws a Failure if a side cannot be read. */
export function probeBoth(
  sources: Readonly<Record<Side, Source>>,
  request: PairRequest,
  context: ProbeContext,
): Promise<Readonly<Record<Side, Track>>> {
  return bothSides(context.signal, (side, signal) => probe(sources[side], request, { ...context, signal }));
}

/** Throws a Failure with the facts of each side if the pair cannot be compared. */
export async function plan(
  sources: Readonly<Record<Side, Source>>,
  request: PairRequest,
  options: PlanOptions,
): Promise<Plan> {
  const tracks = await probeBoth(sources, request, options);
  const planned = planProbed(tracks, sources, request, options);
  if (planned !== undefined) return planned;
  const pairing = pair(tracks.reference, tracks.distorted, request);
  return finish(await recounted(sources, { request, tracks, pairing }, options), sources, options);
}

/** Plans probed videos. Returns undefined if the frames that decode must be counted first. Throws like `plan`. */
export function planProbed(
  tracks: Draft["tracks"],
  sources: Sources,
  request: PairRequest,
  options: PlanOptions,
): Plan | undefined {
  const pairing = pair(tracks.reference, tracks.distorted, request);
  if (!countsSuffice(pairing, tracks, request)) return undefined;
  return finish({ request, tracks, pairing: settleCounts(pairing, tracks, request) }, sources, options);
}

/**
 * Returns the draft or plan with the numbers of frames that really decode: containers can state wrong ones. Throws
 * FRAME_COUNT_MISMATCH.
 */
export async function recounted<D extends Draft>(
  sources: Readonly<Record<Side, Source>>,
  draft: D,
  context: ProbeContext,
): Promise<D> {
  const tracks = await bothSides(context.signal, (side, signal) =>
    countFrames(sources[side], draft.tracks[side], { ...context, signal }),
  );
  return { ...draft, tracks, pairing: settleCounts(draft.pairing, tracks, draft.request) };
}

function finish(draft: Draft, files: Sources, options: PlanOptions): Plan {
  const models = chosenModels(draft, options);
  refuseUnscorable(models, draft.pairing);
  const { subsample, features } = draft.request;
  refuseXpsnr(features, draft.pairing);
  const lookBehind = Math.max(
    ...models.map((model) => factsOf(model).lookBehind),
    ...(features.includes("xpsnr") ? [xpsnrOf(draft).lookBehind] : []),
  );
  const length = segmentFrames(options.segmentLength, draft, files);
  const cutting = cut(draft.tracks, draft.pairing, { length, subsample, lookBehind });
  const contents = cutting.segments.map((segment) => segmentContent(draft, segment, files));
  // There are too many units to store a coverage for each.
  const segments =
    options.segmentLength === "units" ? cutting.segments : withCoverages(cutting.segments, draft, files);
  // The frame times of a film take 10 MB, and nothing needs them after cutting.
  const tracks = perSide((side) => ({
    ...draft.tracks[side],
    times: undefined,
    content: undefined,
    indexed: undefined,
  }));
  const warnings = [
    ...draft.pairing.warnings,
    ...chromaWarnings(models, draft.pairing),
    ...xpsnrWarnings(features, draft.pairing),
  ];
  return {
    ...draft,
    pairing: { ...draft.pairing, warnings },
    tracks,
    models,
    contents,
    ...cutting,
    segments,
    streamSegments: streamSegments(draft, files.distorted),
  };
}

/** Returns the first frames of the distorted stream's segments; undefined if not all of its frames are compared. */
function streamSegments(
  { tracks, pairing }: Draft,
  { segmentStarts }: Source,
): readonly number[] | undefined {
  const rate = comparedRate(tracks);
  if (segmentStarts === undefined || rate === undefined || pairing.runs !== undefined) return undefined;
  const frames = firstFrames(segmentStarts, rate).filter((frame) => frame < pairing.frameCount);
  return frames.length > MOST_SPANS ? undefined : frames;
}

function chosenModels({ request, tracks, pairing }: Draft, { models }: PlanOptions): readonly Model[] {
  const { width, height } = pairing;
  const [encodedWidth, encodedHeight] = comparedSize(tracks.distorted, pairing.turn);
  const encode = { width: encodedWidth, height: encodedHeight, bitDepth: tracks.distorted.pixels.depth };
  const shown = { width, height, rate: comparedRate(tracks) };
  return chooseModels(models, shown, { ...encode, ...request.encode });
}

function segmentFrames(length: SegmentLength | undefined, draft: Draft, files: Sources): number | undefined {
  if (length === "units") return unitFrames(draft.pairing.frameCount);
  if (length === undefined || "frames" in length) return length?.frames;
  const isFetched = SIDES.some((side) => files[side].fetch !== undefined);
  return framesIn(length.seconds * (isFetched ? LONGER : 1), draft);
}

/** Returns the approximate number of frames in segments of some seconds. */
export function framesIn(seconds: number, { tracks, pairing }: Pick<Draft, "tracks" | "pairing">): number {
  const rate = tracks.reference.rate ?? tracks.distorted.rate;
  const frames = Math.round(seconds * (rate ? toNumber(rate) : ASSUMED_RATE));
  return Math.max(FEWEST_FRAMES, frames, Math.ceil(pairing.frameCount / MAX_SEGMENTS));
}
