/** Diagnoses a pair: takes pictures of both videos, relates them, and says what was found. */
import type { Diagnosis } from "../contract/diagnosis.ts";
import type { Confidence, Finding, Fix } from "../contract/finding.ts";
import { perSide, type Side } from "../contract/request.ts";
import { bothSides } from "../media/all-or-abort.ts";
import { PICTURE_BYTES, Pictures, SHRINK } from "../media/pictures.ts";
import { fileInfo, framesText, type Track } from "../media/track.ts";
import { statedRange } from "../planning/compare.ts";
import { type DecodedPair, exactAreas } from "./areas.ts";
import { decodeRaw } from "./decode-raw.ts";
import { rateFindings, rateOf, rateRatio } from "./rates.ts";
import { type Relation, relate } from "./relate.ts";
import {
  type BothPictures,
  contentFindings,
  emptinessFindings,
  identityFindings,
  swapFindings,
} from "./samples/content.ts";
import { fieldsOf } from "./samples/fields.ts";
import { levelFindings } from "./samples/levels.ts";
import { matrixFindings } from "./samples/matrix.ts";
import { turnFindings } from "./space/findings.ts";
import { tagFindings } from "./tags.ts";
import { timeFindings } from "./time-findings.ts";

type Tracks = Readonly<Record<Side, Track>>;

/** Most frames of each side that are looked at, from the first on: a minute at 25 a second. */
const MOST_FRAMES = 1500;
/** Largest offset that is looked for, in seconds; at most a quarter of the shorter video. */
const FARTHEST_SECONDS = 10;

/** Throws a Failure if one of the videos does not decode. */
export async function diagnose(pair: DecodedPair): Promise<Diagnosis> {
  const started = performance.now();
  const { sources, tracks } = pair;
  const pictures = await firstPictures(pair);
  const ratio = rateRatio(pictures, tracks);
  const relation = relate(pictures, { ratio, limit: farthest(pictures, tracks) });
  const findings = byGravity([
    ...(await findingsOf(pair, { pictures, relation, ratio })),
    ...leftOut(pictures, tracks),
  ]);
  return {
    findings,
    runs: ratio === 1 && relation.time.state !== "unclear" ? relation.time.runs : [],
    checked: perSide((side) => [{ first: 0, count: pictures[side].count }]),
    fix: allFixes(findings),
    ...perSide((side) => fileInfo(tracks[side], sources[side].size)),
    durationMs: Math.round(performance.now() - started),
  };
}

function firstPictures({ sources, tracks, turned, context }: DecodedPair): Promise<BothPictures> {
  return bothSides(context.signal, async (side, signal) => {
    const frames = Math.min(MOST_FRAMES, tracks[side].frames);
    const wanted = { frames, filters: SHRINK, frameBytes: PICTURE_BYTES, turned };
    return new Pictures(await decodeRaw(sources[side], tracks[side], wanted, { ...context, signal }));
  });
}

function farthest({ reference, distorted }: BothPictures, tracks: Tracks): number {
  const shorter = Math.min(reference.count, distorted.count);
  const seconds = Math.round(FARTHEST_SECONDS * Math.min(rateOf(tracks.reference), rateOf(tracks.distorted)));
  return Math.max(1, Math.min(seconds, Math.ceil(shorter / 4)));
}

interface Seen {
  readonly pictures: BothPictures;
  readonly relation: Relation;
  readonly ratio: number;
}

async function findingsOf(pair: DecodedPair, { pictures, relation, ratio }: Seen): Promise<Finding[]> {
  const { view, match, upright, time, frames } = relation;
  const empty = emptinessFindings(pictures, frames);
  if (empty.length > 0) return empty;
  const other = contentFindings(pictures, frames, match);
  if (other.length > 0) return other;
  const counts = perSide((side) => pictures[side].count);
  const fields = fieldsOf(pictures.reference, pictures.distorted, frames, view);
  const levels = levelFindings(
    fields,
    perSide((side) => statedRange(pair.tracks[side])),
  );
  const areas = await exactAreas(pair, relation);
  // A zoom looks like a movement in time.
  const isSure = areas.every(({ confidence }) => confidence === "certain");
  const settled = isSure ? time : { ...time, confidence: lower(time.confidence) };
  return [
    ...identityFindings(pictures),
    ...turnFindings(view.turn, match, upright),
    ...areas,
    ...rateFindings(ratio, time.match, pair.tracks),
    ...(ratio === 1 ? timeFindings(settled, counts) : []),
    ...(levels.length > 0 ? levels : tagFindings(pair.tracks)),
    ...matrixFindings(fields),
    ...swapFindings(pictures, frames, bitRates(pair.tracks)),
  ];
}

function bitRates(tracks: Tracks): Readonly<Record<Side, number>> {
  return perSide((side) => {
    const { frames, videoBytes } = tracks[side];
    return (8 * videoBytes * rateOf(tracks[side])) / Math.max(1, frames);
  });
}

function leftOut(pictures: BothPictures, tracks: Tracks): Finding[] {
  const longer = Math.max(tracks.reference.frames, tracks.distorted.frames);
  const seen = Math.max(pictures.reference.count, pictures.distorted.count);
  if (longer <= seen) return [];
  const evidence = `Only the first ${framesText(seen)} of ${longer} were looked at.`;
  return [{ code: "NOT_CHECKED", confidence: "possible", evidence }];
}

function lower(confidence: Confidence): Confidence {
  return confidence === "certain" ? "likely" : "possible";
}

const GRAVITY: readonly Confidence[] = ["certain", "likely", "possible"];

function byGravity(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (one, other) => GRAVITY.indexOf(one.confidence) - GRAVITY.indexOf(other.confidence),
  );
}

/** The fixes of the certain findings together; undefined: none has one. */
function allFixes(findings: readonly Finding[]): Fix | undefined {
  const fixes = findings.flatMap(({ confidence, fix }) => (confidence === "certain" && fix ? [fix] : []));
  return fixes.length === 0 ? undefined : Object.assign({}, ...fixes);
}
