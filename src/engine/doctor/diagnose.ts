/** Diagnoses a pair: decodes the beginnings of both videos and windows of the rest, and returns the findings. */
import type { Diagnosis } from "../contract/diagnosis.ts";
import type { Finding } from "../contract/finding.ts";
import { isSettled, joinedFix } from "../contract/fix.ts";
import { perSide, SIDES, type Side } from "../contract/request.ts";
import { decodePictures } from "../decoding/pictures.ts";
import type { Sources } from "../files/source.ts";
import { bothSides } from "../media/all-or-abort.ts";
import { comparedFormat } from "../media/pixels.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import { fileInfo, framesText, type Track } from "../media/track.ts";
import { wholeSegment } from "../planning/cut.ts";
import type { Pairing } from "../planning/pairing.ts";
import { comparedSize, turnedSides } from "../planning/shapes.ts";
import { byGravity } from "../results/findings.ts";
import type { DecodedPair } from "./areas.ts";
import { type Examination, examine, findingsOf } from "./examine.ts";
import { hdrFindings } from "./fitness.ts";
import { follow } from "./follow.ts";
import { checkedSpans, joinedTime, laterFindings, unclearFindings, unexplained } from "./join.ts";
import { rateFindings, rateRatio } from "./rates.ts";
import { shapeFindings } from "./shape.ts";
import type { TimeRelation } from "./time/align.ts";
import { keyFramesWithin } from "./time/key-frames.ts";
import { type Counts, reliableRuns, type Seen } from "./time-findings.ts";
import { runsByTimestamps } from "./timestamps.ts";
import { decodeFields } from "./weave/look.ts";
import { type Decoded, decodeWindow, isClear, resultOf, type Window, type WindowResult } from "./window.ts";

type Tracks = Readonly<Record<Side, Track>>;

/** Most frames that are examined at the beginning of each side: a minute at 25 frames per second. */
const MOST_FRAMES = 1500;

/** Throws a Failure if one of the videos does not decode. */
export async function diagnose(sources: Sources, tracks: Tracks, context: DecodeContext): Promise<Diagnosis> {
  const started = performance.now();
  const pairing = wholeFrames(tracks);
  const pair = { sources, tracks, pairing, segment: wholeSegment(pairing), context, firstPicture: 0 };
  const beginning = await lookAtBeginning(pair);
  const { ratio, examination, repaired } = beginning;
  const whole = await lookAtRest(beginning);
  const { seen, results } = whole;
  const time = ratio === 1 ? whole.time : undefined;
  const found = findingsOf({ ...examination, time }, seen).filter(
    ({ code }) => repaired.fix === undefined || !isSettled(repaired.fix, code),
  );
  const aligned = time ?? examination.relation.time;
  const later = unexplained(results.slice(1), aligned.runs);
  const findings = byGravity([
    ...repaired.findings,
    ...found,
    ...laterFindings(later, found),
    ...unclearFindings(later),
    ...shapeFindings(tracks, [...repaired.findings, ...found]),
    ...rateFindings(ratio, examination.relation.time.match, tracks),
    ...hdrFindings(tracks),
    ...notCheckedFindings(whole, tracks),
  ]);
  return {
    findings,
    runs: ratio === 1 && aligned.state !== "unclear" ? reliableRuns(aligned, seen) : [],
    checked: checkedSpans(results),
    fix: joinedFix(findings.filter(({ confidence }) => confidence === "certain")),
    ...perSide((side) => fileInfo(tracks[side], sources[side].size)),
    durationMs: Math.round(performance.now() - started),
  };
}

interface Repaired {
  readonly findings: readonly Finding[];
  /** The fix that was applied; undefined: none. */
  readonly fix: ReturnType<typeof joinedFix>;
}

interface Beginning {
  /** The pair whose pictures are repaired. */
  readonly pair: DecodedPair;
  readonly window: Window;
  readonly ratio: number;
  readonly examination: Examination;
  readonly repaired: Repaired;
  /** Why the rest cannot be decoded in windows; undefined: it can. */
  readonly uncut: string | undefined;
}

/**
 * Examines the beginnings of both videos. If the pictures can be repaired, the pair is examined again, because
 * different areas and mirrored sides make findings about time less certain.
 */
async function lookAtBeginning(pair: DecodedPair): Promise<Beginning> {
  const { tracks } = pair;
  const { decoded, uncut } = await firstPictures(pair);
  const window = perSide((side) => ({ first: 0, count: decoded.pictures[side].count }));
  const ratio = rateRatio(decoded.pictures, tracks);
  const examination = await examineWithFields(decoded, ratio);
  const isRepaired = ({ confidence, fix }: Finding): boolean =>
    confidence === "certain" && (fix?.crop ?? fix?.mirror) !== undefined;
  const findings = examination.areas.filter(isRepaired);
  const fix = joinedFix(findings);
  const repaired = { findings, fix };
  if (fix === undefined) return { pair, window, ratio, examination, repaired, uncut };
  const pairing: Pairing = {
    ...pair.pairing,
    crop: perSide((side) => fix.crop?.[side]),
    mirror: perSide((side) => fix.mirror?.[side]),
  };
  const again = { ...pair, pairing };
  const clean = await examineWithFields((await firstPictures(again)).decoded, ratio);
  return { pair: again, window, ratio, examination: clean, repaired, uncut };
}

/**
 * Examines pictures, and decodes fields once it is known which frames belong together. Only those of moving frames
 * are decoded.
 */
function examineWithFields({ pair, pictures }: Decoded, ratio: number): Promise<Examination> {
  const { tracks } = pair;
  const keys = keyFramesWithin(tracks.distorted, { first: 0, count: pictures.distorted.count });
  const isWhole = SIDES.every((side) => pictures[side].count === tracks[side].frames);
  const byTimestamps = isWhole && ratio === 1 ? runsByTimestamps(tracks) : undefined;
  return examine(pair, { pictures, ratio, keys, byTimestamps }, (relation) =>
    decodeFields(pair, pictures, relation, ratio),
  );
}

/**
 * Decodes the beginnings. In long videos they are decoded as windows; the number of frames then proves that other
 * windows will also have the right frames.
 */
async function firstPictures(pair: DecodedPair): Promise<{ decoded: Decoded; uncut: string | undefined }> {
  const { tracks, context } = pair;
  const window = perSide((side) => ({ first: 0, count: Math.min(MOST_FRAMES, tracks[side].frames) }));
  const isWhole =
    window.reference.count === tracks.reference.frames && window.distorted.count === tracks.distorted.frames;
  const cut = isWhole ? undefined : await decodeWindow(pair, window);
  if (cut !== undefined && typeof cut !== "string") return { decoded: cut, uncut: undefined };
  const pictures = await bothSides(context.signal, (side, signal) =>
    decodePictures(pair, side, window[side], { ...context, signal }),
  );
  return { decoded: { pair, pictures }, uncut: cut };
}

interface Whole {
  readonly time: TimeRelation | undefined;
  readonly seen: Seen;
  /** The result of the beginning comes first. */
  readonly results: readonly WindowResult[];
  /** Why windows could not be decoded; undefined: they could be, or the rest was not examined. */
  readonly uncut: string | undefined;
}

/** Examines the videos after their beginnings, if the beginnings show which frames belong together. */
async function lookAtRest({ pair, window, ratio, examination, uncut }: Beginning): Promise<Whole> {
  const totals: Counts = perSide((side) => pair.tracks[side].frames);
  const counts = perSide((side) => window[side].count);
  const result = resultOf(examination, window);
  const beginning = {
    time: examination.time,
    seen: { first: 0, counts, totals },
    results: [result],
    uncut,
  };
  const isWhole = counts.reference === totals.reference && counts.distorted === totals.distorted;
  if (isWhole || ratio !== 1 || uncut !== undefined || result.state === "unclear") return beginning;
  const { results, stopped } = await follow({ pair, result, view: examination.relation.view, totals });
  if (stopped !== undefined) return { ...beginning, results, uncut: stopped };
  const joined = joinedTime(results, totals);
  if (joined !== undefined) return { ...beginning, ...joined, results };
  const unclear = results.map((one) => (isClear(one) ? { ...one, state: "unclear" as const } : one));
  return { ...beginning, results: unclear };
}

/** Returns a pairing of all frames of both sides as decoded, even if they cannot be compared. */
function wholeFrames(tracks: Tracks): Pairing {
  const turn = turnedSides(tracks);
  const [width, height] = comparedSize(tracks.reference, turn);
  const none = { reference: undefined, distorted: undefined };
  const counts = perSide((side) => tracks[side].frames);
  return {
    ...{ width, height, turn, counts, crop: none, mirror: none },
    format: comparedFormat(tracks.reference.pixels, tracks.distorted.pixels),
    ...{ scaling: undefined, recolour: undefined, thin: undefined, runs: undefined },
    frameCount: Math.max(counts.reference, counts.distorted),
    warnings: [],
  };
}

function notCheckedFindings({ results, uncut }: Whole, tracks: Tracks): Finding[] {
  const side = tracks.reference.frames >= tracks.distorted.frames ? "reference" : "distorted";
  const spans = checkedSpans(results)[side];
  const seen = spans.reduce((sum, { count }) => sum + count, 0);
  const all = tracks[side].frames;
  if (all <= seen) return [];
  const why = uncut === undefined ? "" : ` ${uncut}`;
  const evidence = `Looked at ${seen} of ${framesText(all)}, in ${spans.length} ${spans.length === 1 ? "span" : "spans"}.${why}`;
  return [{ code: "NOT_CHECKED", confidence: "possible", evidence }];
}
