/** Examines pictures of both videos: relates them, and says what was found. */
import { setImmediate as letOthersRun } from "node:timers/promises";
import type { Confidence, Finding } from "../contract/finding.ts";
import { givenSides, perSide, SIDES, type Side } from "../contract/request.ts";
import { isRgb } from "../media/pixels.ts";
import type { Track } from "../media/track.ts";
import { statedRange } from "../planning/compare.ts";
import { byGravity } from "../results/findings.ts";
import { type DecodedPair, exactAreas } from "./areas.ts";
import { rateOf } from "./rates.ts";
import { type Relation, relate } from "./relate.ts";
import {
  type BothPictures,
  contentFindings,
  emptinessFindings,
  identityFindings,
  swapFindings,
} from "./samples/content.ts";
import { type Fields, fieldsOf } from "./samples/fields.ts";
import { levelFindings } from "./samples/levels.ts";
import { matrixFindings } from "./samples/matrix.ts";
import { tonesOf } from "./samples/tones.ts";
import { turnFindings } from "./space/findings.ts";
import { primariesFindings, rangeTagFindings, transferFindings } from "./tags.ts";
import { type Seen, timeFindings } from "./time-findings.ts";
import { fieldFindings } from "./weave/look.ts";
import type { BothFields } from "./weave/measure.ts";

/** Largest offset that is looked for, in seconds; at most a quarter of the shorter video. */
const FARTHEST_SECONDS = 10;

export interface Examined {
  readonly pictures: BothPictures;
  /** Frames of the distorted video for each frame of the reference. */
  readonly ratio: number;
  /** Where the pictures lie in the videos. */
  readonly seen: Seen;
  /** Returns the fields of some frames, numbered like the pictures; undefined: none are to be had. */
  readonly fields: (relation: Relation) => Promise<BothFields | undefined>;
}

export interface Examination {
  readonly relation: Relation;
  /** The gravest first. */
  readonly findings: readonly Finding[];
}

/** It takes up to a second of CPU, and yields to the event loop between its steps. */
export async function examine(pair: DecodedPair, examined: Examined): Promise<Examination> {
  const { pictures, ratio } = examined;
  await letOthersRun();
  const relation = relate(pictures, { ratio, limit: farthest(pictures, pair.tracks) });
  await letOthersRun();
  const findings = await findingsOf(pair, examined, relation);
  const requestable = findings.map((finding) => withoutRgb(finding, pair.tracks));
  return { relation, findings: byGravity(requestable) };
}

/** Requests cannot say what the samples of an RGB side are: they are always converted. */
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

async function findingsOf(
  pair: DecodedPair,
  { pictures, ratio, seen, fields: fieldsOfFrames }: Examined,
  relation: Relation,
): Promise<Finding[]> {
  const { view, match, upright, time, frames, layout } = relation;
  const empty = emptinessFindings(pictures, frames);
  if (empty.length > 0) return empty;
  const other = contentFindings(pictures, frames, match);
  if (other.length > 0) return other;
  const fields = fieldsOf(pictures, frames, view, layout?.reference);
  const samples = sampleFindings(fields, pair.tracks);
  await letOthersRun();
  const areas = await exactAreas(pair, relation);
  const woven = await fieldFindings(pair, relation, { ratio, fields: () => fieldsOfFrames(relation) });
  // A zoom looks like a movement in time.
  const isSure = areas.every(({ confidence }) => confidence === "certain");
  const settled = isSure ? time : { ...time, confidence: lower(time.confidence) };
  return [
    ...identityFindings(pictures),
    ...turnFindings(view.turn, match, upright),
    ...areas,
    ...(ratio === 1 ? timeFindings(settled, seen) : []),
    ...(time.state === "unclear" ? samples.map(lessSureLevels) : samples),
    ...woven,
    ...swapFindings(pictures, frames, bitRates(pair.tracks)),
  ];
}

/** What the samples and the tags show. Other transfer functions and primaries can explain other levels and colours. */
function sampleFindings(fields: Fields, tracks: Readonly<Record<Side, Track>>): Finding[] {
  const stated = [...transferFindings(tracks, tonesOf(fields)), ...primariesFindings(tracks)];
  const says = (code: Finding["code"], confidence: Confidence) =>
    stated.some((finding) => finding.code === code && finding.confidence === confidence);
  if (says("TRANSFER_DIFFERS", "certain")) return stated;
  const ranges = perSide((side) => statedRange(tracks[side]));
  const levels = levelFindings(fields, ranges);
  const matrix = matrixFindings(fields);
  // A conversion with another matrix changes levels too.
  const range =
    levels.length > 0
      ? levels.filter(({ code }) => code === "RANGE_DIFFERS" || matrix.length === 0)
      : rangeTagFindings(tracks);
  const isExplained = says("TRANSFER_DIFFERS", "likely");
  const measured = [
    ...(isExplained ? range.map(lowered) : range),
    ...matrix.map((finding) =>
      isExplained || says("PRIMARIES_DIFFER", "likely") ? lowered(finding) : finding,
    ),
  ];
  return [...stated, ...measured];
}

/** Frames that may not belong together differ in brightness. */
function lessSureLevels(finding: Finding): Finding {
  return finding.code === "LEVELS_DIFFER" ? lowered(finding) : finding;
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

export function lower(confidence: Confidence): Confidence {
  return confidence === "certain" ? "likely" : "possible";
}
