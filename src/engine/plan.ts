/** Plans a score: probes both files, proves that they can be compared, and cuts the pair into segments. */
import { type Pairing, pair } from "./compare.ts";
import { LOOK_BEHIND } from "./context.ts";
import { countFrames } from "./count.ts";
import { type Cutting, cut } from "./cut.ts";
import { settleCounts } from "./frame-counts.ts";
import type { Model } from "./models.ts";
import { type ProbeContext, probe } from "./probe.ts";
import { toNumber } from "./rational.ts";
import { type PairRequest, perSide, type Side } from "./request.ts";
import type { Source } from "./source.ts";
import { bothSides } from "./together.ts";
import type { Track } from "./track.ts";

/** A plan before it is cut. */
interface Draft {
  readonly request: PairRequest;
  readonly tracks: Readonly<Record<Side, Track>>;
  readonly pairing: Pairing;
}

export interface Plan extends Draft, Cutting {
  readonly models: readonly Model[];
}

export interface PlanOptions extends ProbeContext {
  readonly models: readonly Model[];
  /** About how long a segment is; undefined: the pair is scored whole. */
  readonly segmentLength: SegmentLength | undefined;
}

export type SegmentLength = { readonly frames: number } | { readonly seconds: number };

/** Frames per second of a pair whose files state no rate, where seconds are asked for. */
const ASSUMED_RATE = 25;
/** Where a rate makes seconds of few frames (slides, time lapse), starting the scorer would cost more than scoring. */
const FEWEST_FRAMES = 24;
/** 14 hours in segments of ten seconds; a list of twice as many (cut.ts moves cuts) still fits into a message. */
const MOST_SEGMENTS = 5000;

/** Throws Failure when the pair cannot be compared, with what was found on each side. */
export async function plan(
  sources: Readonly<Record<Side, Source>>,
  request: PairRequest,
  options: PlanOptions,
): Promise<Plan> {
  const tracks = await bothSides(options.signal, (side, signal) =>
    probe(sources[side], request, { ...options, signal }),
  );
  const pairing = pair(tracks.reference, tracks.distorted, request);
  const draft = { request, tracks, pairing };
  if (pairing.counts.reference !== pairing.counts.distorted) return planCounted(sources, draft, options);
  return finish(draft, options);
}

/** A plan by the frames that really decode: containers can be wrong about how many there are. */
export async function planCounted(
  sources: Readonly<Record<Side, Source>>,
  draft: Draft,
  options: PlanOptions,
): Promise<Plan> {
  const { request } = draft;
  const tracks = await bothSides(options.signal, (side, signal) =>
    countFrames(sources[side], draft.tracks[side], { ...options, signal }),
  );
  return finish({ request, tracks, pairing: settleCounts(draft.pairing, tracks, request) }, options);
}

function finish(draft: Draft, options: PlanOptions): Plan {
  const lookBehind = options.models.some((model) => model.file !== undefined)
    ? LOOK_BEHIND.file
    : LOOK_BEHIND.builtIn;
  const { models } = options;
  const { subsample } = draft.request;
  const length = segmentFrames(options.segmentLength, draft);
  const cutting = cut(draft.tracks, draft.pairing, { length, subsample, lookBehind });
  // The times of a film's frames are 10 MB, and nothing needs them once it is cut.
  const tracks = perSide((side) => ({ ...draft.tracks[side], times: undefined }));
  return { ...draft, tracks, models, ...cutting };
}

function segmentFrames(length: SegmentLength | undefined, { tracks, pairing }: Draft): number | undefined {
  if (length === undefined || "frames" in length) return length?.frames;
  const rate = tracks.reference.rate ?? tracks.distorted.rate;
  const frames = Math.round(length.seconds * (rate ? toNumber(rate) : ASSUMED_RATE));
  return Math.max(FEWEST_FRAMES, frames, Math.ceil(pairing.frameCount / MOST_SEGMENTS));
}
