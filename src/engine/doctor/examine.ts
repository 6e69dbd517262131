/** Examines pictures of both videos: relates them in area and time, and returns the findings. */
import { setImmediate as letOthersRun } from "node:timers/promises";
import type { Run } from "../contract/alignment.ts";
import type { Confidence, Finding } from "../contract/finding.ts";
import { givenSides, perSide, SIDES, type Side } from "../contract/request.ts";
import { UNCHECKED } from "../contract/unchecked.ts";
import { isRgb } from "../media/pixels.ts";
import type { Track } from "../media/track.ts";
import { statedRange } from "../planning/compare.ts";
import { byGravity } from "../results/findings.ts";
import { type DecodedPair, exactAreas } from "./areas.ts";
import { rateOf } from "./rates.ts";
import { type Relation, relate } from "./relate.ts";
import { type BlockMeans, blockMeansOf } from "./samples/block-means.ts";
import {
  type BothPictures,
  bitRateRatio,
  contentFindings,
  emptinessFindings,
  identityFindings,
  swapFindings,
} from "./samples/content.ts";
import { isPlain, levelFindings } from "./samples/levels.ts";
import { matrixFindings, withMistakes } from "./samples/matrix.ts";
import { tonesOf } from "./samples/tones.ts";
import { turnFindings } from "./space/findings.ts";
import type { View } from "./space/view.ts";
import { primariesFindings, rangeTagFindings, transferFindings } from "./tags.ts";
import type { TimeRelation } from "./time/align.ts";
import { type Seen, timeFindings } from "./time-findings.ts";
import { fieldFindings } from "./weave/look.ts";
import type { BothFields } from "./weave/measure.ts";

/** Largest offset to look for, in seconds. It is also limited to a quarter of the shorter video. */
const FARTHEST_SECONDS = 10;

export interface ExamineInput {
  readonly pictures: BothPictures;
  /** Frames of the distorted video for each frame of the reference. */
  readonly ratio: number;
  /** The view of other frames of the pair; undefined: not known. */
  readonly view?: View | undefined;
  /** Indexes of the distorted pictures that are key frames; undefined: not known. */
  readonly keys?: readonly number[] | undefined;
  /** The runs of frames with the same times, if a side has gaps in its timestamps; undefined: not known. */
  readonly byTimestamps?: readonly Run[] | undefined;
}

/**
 * Returns the interlaced fields of some frames, with the numbers of the pictures; undefined if they are not
 * available.
 */
export type FieldsOf = (relation: Relation) => Promise<BothFields | undefined>;

/** How pictures of both videos relate in area and time. */
export interface Place {
  readonly relation: Relation;
  /** Findings about the content and the picture area. */
  readonly areas: readonly Finding[];
  /** Relation in time at the ratio of the frame rates; undefined: a side shows nothing, or other content. */
  readonly time: TimeRelation | undefined;
}

export interface Examination extends Place {
  /** Findings about the samples of aligned frames. */
  readonly samples: readonly Finding[];
}

/**
 * Examines area, time and samples. Takes up to a second of CPU time, and yields to the event loop between its steps.
 */
export async function examine(
  pair: DecodedPair,
  input: ExamineInput,
  fieldsOfFrames: FieldsOf,
): Promise<Examination> {
  const place = await examinePlace(pair, input);
  if (place.time === undefined) return { ...place, samples: statedFindings(pair.tracks) };
  await letOthersRun();
  const { relation } = place;
  const samples = await findingsOfSamples(pair, input, { relation, fieldsOfFrames });
  return { ...place, samples: samples.map((finding) => withoutRgb(finding, pair.tracks)) };
}

/** Examines only area and time, not the samples. */
export async function examinePlace(pair: DecodedPair, { pictures, ...input }: ExamineInput): Promise<Place> {
  await letOthersRun();
  const relation = relate(pictures, { ...input, limit: farthest(pictures, pair.tracks) });
  await letOthersRun();
  const { match, upright, frames, time } = relation;
  const empty = emptinessFindings(pictures, frames);
  const content = contentFindings(pictures, frames, match);
  // A picture that stands still can be one of the other video's, although it matches few of its frames.
  const other = content.filter(({ code }) => code === "OTHER_CONTENT").map(lowered);
  const nothing = (empty.length > 0 ? [...empty, ...other] : content).map((finding) =>
    finding.code !== "BLACK" && isStarved(pair.tracks) ? onlyPossible(finding) : finding,
  );
  if (nothing.length > 0) return { relation, areas: withDoubt(nothing), time: undefined };
  const areas = await exactAreas(pair, relation);
  const isSure = areas.every(({ confidence }) => confidence === "certain");
  return {
    relation,
    areas: [...identityFindings(pictures), ...turnFindings(relation.view.turn, match, upright), ...areas],
    time: isSure ? time : throughUnsureAreas(time),
  };
}

/** Least bits per luma sample at which encodes keep something of any content. Bitrate ladders end at about 0.02. */
const LEAST_BITS = 0.015;

/** Whether a side may have lost its content because its bit rate is too low. */
function isStarved(tracks: Readonly<Record<Side, Track>>): boolean {
  return SIDES.some((side) => {
    const { width, height, frames, videoBytes } = tracks[side];
    return 8 * videoBytes < LEAST_BITS * width * height * frames;
  });
}

/** Adds that nothing else was checked, if the findings are only possible and do not say so. */
function withDoubt(findings: readonly Finding[]): readonly Finding[] {
  if (findings.some(({ confidence, code }) => confidence !== "possible" || code === "NOT_CHECKED"))
    return findings;
  const evidence =
    "Which frames belong together is not known: at its low rate, the encode may have lost what moves.";
  return [...findings, { code: "NOT_CHECKED", confidence: "possible", evidence }];
}

/** Makes an offset unclear that was seen through uncertain areas: a zoom can look like a movement in time. */
function throughUnsureAreas(time: TimeRelation): TimeRelation {
  return time.state === "shifted" ? { ...time, state: "unclear", confidence: "possible" } : time;
}

/** Returns all findings of an examination, the gravest first. `seen` are the examined frames. */
export function findingsOf({ areas, time, samples }: Examination, seen: Seen): Finding[] {
  return byGravity([...areas, ...(time === undefined ? [] : timeFindings(time, seen)), ...samples]);
}

/** Removes the fixes of RGB sides. They are always converted, so requests cannot state their range and matrix. */
function withoutRgb(finding: Finding, tracks: DecodedPair["tracks"]): Finding {
  const sides = SIDES.filter((side) => isRgb(tracks[side].pixels));
  const { fix, ...rest } = finding;
  if (sides.length === 0 || (fix?.rangeOf === undefined && fix?.matrixOf === undefined)) return finding;
  const { reference, distorted } = fix.rangeOf ?? {};
  const rangeOf = givenSides({
    reference: sides.includes("reference") ? undefined : reference,
    distorted: sides.includes("distorted") ? undefined : distorted,
  });
  return rangeOf === undefined ? rest : { ...rest, fix: { rangeOf } };
}

function farthest({ reference, distorted }: BothPictures, tracks: Readonly<Record<Side, Track>>): number {
  const shorter = Math.min(reference.count, distorted.count);
  const seconds = Math.round(FARTHEST_SECONDS * Math.min(rateOf(tracks.reference), rateOf(tracks.distorted)));
  return Math.max(1, Math.min(seconds, Math.ceil(shorter / 4)));
}

async function findingsOfSamples(
  pair: DecodedPair,
  { pictures, ratio }: ExamineInput,
  { relation, fieldsOfFrames }: { relation: Relation; fieldsOfFrames: FieldsOf },
): Promise<Finding[]> {
  const { view, frames, layout, time } = relation;
  const means = blockMeansOf(pictures, frames, view, layout?.reference);
  const samples = sampleFindings(means, pair.tracks);
  await letOthersRun();
  const woven = await fieldFindings(pair, relation, { ratio, fields: () => fieldsOfFrames(relation) });
  const rates = { bitRates: bitRates(pair.tracks), isUncompressed: isUncompressed(pair.tracks.distorted) };
  const swapped = swapFindings(pictures, frames, rates);
  // In plain pictures, fields differ by what the encode changed. A worse reference lacks their detail.
  const isUnsure = isPlain(means) || swapped.length > 0;
  return [
    ...(time.state === "unclear" ? samples.map(lessSureLevels) : samples),
    ...(isUnsure ? woven.map(onlyPossible) : woven),
    ...swapped,
  ];
}

/**
 * Findings about the transfer functions and primaries that the tags state. `means` are the block means of aligned
 * frames; undefined: there are none.
 */
function statedFindings(tracks: Readonly<Record<Side, Track>>, means?: BlockMeans): Finding[] {
  return [...transferFindings(tracks, () => means && tonesOf(means)), ...primariesFindings(tracks)];
}

/**
 * Findings about the samples and the tags. Different transfer functions and primaries can explain different levels
 * and colours.
 */
function sampleFindings(means: BlockMeans, tracks: Readonly<Record<Side, Track>>): Finding[] {
  const stated = statedFindings(tracks, means);
  const says = (code: Finding["code"], confidence: Confidence) =>
    stated.some((finding) => finding.code === code && finding.confidence === confidence);
  if (says("TRANSFER_DIFFERS", "certain")) return stated;
  const ranges = perSide((side) => statedRange(tracks[side]));
  const levels = levelFindings(means, ranges);
  const isUnchecked = levels.includes(UNCHECKED.samples);
  const matrix = isUnchecked ? [] : matrixFindings(means);
  // A conversion with another matrix also changes the levels.
  const isOtherMatrix = matrix.some(({ code }) => code === "MATRIX_DIFFERS");
  const isOpen = matrix.includes(UNCHECKED.matrix);
  const kept = levels
    .filter(({ code }) => code !== "LEVELS_DIFFER" || !isOtherMatrix)
    .map((finding) => (isOpen && isByMatrix(finding, means) ? onlyPossible(finding) : finding));
  const isMeasured = levels.some(({ code }) => code === "RANGE_DIFFERS");
  const range = isMeasured ? kept : [...kept, ...rangeTagFindings(tracks, means)];
  const isExplained = says("TRANSFER_DIFFERS", "likely");
  const measured = [
    ...(isExplained ? range.map(lowered) : range),
    ...matrix.map((finding) =>
      isExplained || says("PRIMARIES_DIFFER", "likely") ? lowered(finding) : finding,
    ),
  ];
  return [...stated, ...measured];
}

/** Whether levels differ by no more than a conversion with another matrix would change them. */
function isByMatrix({ code }: Finding, means: BlockMeans): boolean {
  return (
    code === "LEVELS_DIFFER" && withMistakes(means).some((converted) => levelFindings(converted).length === 0)
  );
}

/**
 * Lowers the confidence of findings about levels and range if frames may not belong together, because such frames
 * differ in brightness.
 */
function lessSureLevels(finding: Finding): Finding {
  const { code, confidence } = finding;
  const isMeasured = code === "LEVELS_DIFFER" || code === "RANGE_DIFFERS";
  return isMeasured && confidence === "likely" ? lowered(finding) : finding;
}

function onlyPossible(finding: Finding): Finding {
  return { ...finding, confidence: "possible" };
}

function lowered(finding: Finding): Finding {
  return { ...finding, confidence: lower(finding.confidence) };
}

function bitRates(tracks: Readonly<Record<Side, Track>>): Readonly<Record<Side, number>> {
  return perSide((side) => {
    const { frames, videoBytes } = tracks[side];
    return (8 * videoBytes * rateOf(tracks[side])) / Math.max(1, frames);
  });
}

/** Whether a track takes at least a byte for each luma sample, as raw video does in any container. */
function isUncompressed({ width, height, frames, videoBytes }: Track): boolean {
  return videoBytes >= width * height * frames;
}

/**
 * Returns what else an examination depends on, in addition to the pictures and the properties of the tracks: the
 * sizes of both videos. Equal texts mean equal findings.
 */
export function sizesSeen(tracks: Readonly<Record<Side, Track>>): string {
  const richer = bitRateRatio(bitRates(tracks));
  return JSON.stringify([
    isStarved(tracks),
    richer ?? 0,
    richer !== undefined && isUncompressed(tracks.distorted),
  ]);
}

export function lower(confidence: Confidence): Confidence {
  return confidence === "certain" ? "likely" : "possible";
}
