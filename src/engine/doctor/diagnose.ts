/** Diagnoses a pair by itself: decodes the beginnings of both videos, and says what was found. */
import type { Diagnosis } from "../contract/diagnosis.ts";
import type { Finding } from "../contract/finding.ts";
import { isSettled, joinedFix } from "../contract/fix.ts";
import { perSide, type Side } from "../contract/request.ts";
import { decodeRaw } from "../decoding/decode-raw.ts";
import type { Sources } from "../files/source.ts";
import { bothSides } from "../media/all-or-abort.ts";
import { PICTURE_BYTES, Pictures, SHRINK } from "../media/pictures.ts";
import { comparedFormat } from "../media/pixels.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import { fileInfo, framesText, type Track } from "../media/track.ts";
import { wholeSegment } from "../planning/cut.ts";
import type { Pairing } from "../planning/pairing.ts";
import { comparedSize, turnedSides } from "../planning/shapes.ts";
import { byGravity } from "../results/findings.ts";
import type { DecodedPair } from "./areas.ts";
import { type Examination, type Examined, examine } from "./examine.ts";
import { hdrFindings } from "./fitness.ts";
import { rateFindings, rateRatio } from "./rates.ts";
import type { BothPictures } from "./samples/content.ts";
import { decodeFields } from "./weave/look.ts";

type Tracks = Readonly<Record<Side, Track>>;

/** Most frames of each side that are looked at, from the first on: a minute at 25 a second. */
const MOST_FRAMES = 1500;

/** Throws a Failure if one of the videos does not decode. */
export async function diagnose(sources: Sources, tracks: Tracks, context: DecodeContext): Promise<Diagnosis> {
  const started = performance.now();
  const pairing = wholeFrames(tracks);
  const pair = { sources, tracks, pairing, segment: wholeSegment(pairing), context, firstPicture: 0 };
  const pictures = await firstPictures(pair);
  const ratio = rateRatio(pictures, tracks);
  const counts = perSide((side) => pictures[side].count);
  const seen = { first: 0, counts, totals: perSide((side) => tracks[side].frames) };
  const first = await examine(pair, { pictures, ratio, seen, fields: decoder(pair, pictures, ratio) });
  const { relation, findings: found } = await repairedPictures(first, pair, { ratio, seen });
  const rates = rateFindings(ratio, relation.time.match, tracks);
  const findings = byGravity([...found, ...rates, ...hdrFindings(tracks), ...leftOut(pictures, tracks)]);
  return {
    findings,
    runs: ratio === 1 && relation.time.state !== "unclear" ? relation.time.runs : [],
    checked: perSide((side) => [{ first: 0, count: counts[side] }]),
    fix: joinedFix(findings.filter(({ confidence }) => confidence === "certain")),
    ...perSide((side) => fileInfo(tracks[side], sources[side].size)),
    durationMs: Math.round(performance.now() - started),
  };
}

/**
 * Examines a pair again whose pictures are repaired: other areas and mirrored sides make what is found of time less
 * sure. Returns what was repaired, and what is found then.
 */
async function repairedPictures(
  first: Examination,
  pair: DecodedPair,
  examined: Omit<Examined, "pictures" | "fields">,
): Promise<Examination> {
  const isRepaired = ({ confidence, fix }: Finding): boolean =>
    confidence === "certain" && (fix?.crop ?? fix?.mirror) !== undefined;
  const repaired = first.findings.filter(isRepaired);
  const fix = joinedFix(repaired);
  if (fix === undefined) return first;
  const pairing: Pairing = {
    ...pair.pairing,
    crop: perSide((side) => fix.crop?.[side]),
    mirror: perSide((side) => fix.mirror?.[side]),
  };
  const again = { ...pair, pairing };
  const pictures = await firstPictures(again);
  const fields = decoder(again, pictures, examined.ratio);
  const { relation, findings } = await examine(again, { ...examined, pictures, fields });
  const others = findings.filter(({ code }) => !isSettled(fix, code));
  return { relation, findings: [...repaired, ...others] };
}

/** Fields are decoded of frames that move, once it is known which belong together. */
function decoder(pair: DecodedPair, pictures: BothPictures, ratio: number): Examined["fields"] {
  return (relation) => decodeFields(pair, pictures, relation, ratio);
}

/** All frames of both sides as they are decoded, whether they can be compared or not. */
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

function firstPictures({ context, ...compared }: DecodedPair): Promise<BothPictures> {
  return bothSides(context.signal, async (side, signal) => {
    const frames = Math.min(MOST_FRAMES, compared.tracks[side].frames);
    const wanted = { frames, filters: SHRINK, frameBytes: PICTURE_BYTES };
    return new Pictures(await decodeRaw(compared, side, wanted, { ...context, signal }));
  });
}

function leftOut(pictures: BothPictures, tracks: Tracks): Finding[] {
  const longer = Math.max(tracks.reference.frames, tracks.distorted.frames);
  const seen = Math.max(pictures.reference.count, pictures.distorted.count);
  if (longer <= seen) return [];
  const evidence = `Only the first ${framesText(seen)} of ${longer} were looked at.`;
  return [{ code: "NOT_CHECKED", confidence: "possible", evidence }];
}
