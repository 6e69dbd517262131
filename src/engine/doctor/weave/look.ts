/**
 * Examines the fields of frames that belong together: chooses the frames, and checks that both sides' pictures have
 * the same geometry. Thresholds were tuned on the development half of the corpus of bench/doctor.
 */
import type { Finding } from "../../contract/finding.ts";
import { perSide, type Side } from "../../contract/request.ts";
import { decodeRaw } from "../../decoding/decode-raw.ts";
import { bothSides } from "../../media/all-or-abort.ts";
import type { Pictures } from "../../media/pictures.ts";
import { FIELDS_BYTES, FieldPictures, SHRINK_FIELDS } from "../../media/pictures.ts";
import { comparedSize } from "../../planning/shapes.ts";
import type { DecodedPair } from "../areas.ts";
import type { Relation } from "../relate.ts";
import type { BothPictures } from "../samples/content.ts";
import { weaveFindings } from "./findings.ts";
import type { BothFields } from "./measure.ts";

/** Frames of a burst. The inner five have neighbours on both sides: a cadence of telecine. */
const BURST = 7;
/** Most bursts. */
const BURSTS = 10;
/** Bursts are chosen among the first frames of the distorted video, because everything before them must be decoded. */
const FARTHEST = 450;
/** Mean difference of consecutive pictures, in levels, above which something moves. */
const MOVING = 0.3;
/** How far the pictures may be apart, as a fraction of the frame, for their lines to be comparable. */
const NEAR = 0.005;

/** Returns nothing if the pictures do not have the same geometry. `fields` is called only if they do. */
export async function fieldFindings(
  { tracks, pairing }: DecodedPair,
  relation: Relation,
  { ratio, fields }: { ratio: number; fields: () => Promise<BothFields | undefined> },
): Promise<Finding[]> {
  if (!isInPlace(relation) || pairing.turn.length > 0) return [];
  const found = await fields();
  if (found === undefined) return [];
  const heights = perSide((side) => pairing.crop[side]?.height ?? comparedSize(tracks[side], [])[1]);
  // At different frame rates, only the cadence of each side alone shows something.
  const partner = (frame: number) => (ratio === 1 ? partnerOf(relation, ratio, frame) : undefined);
  return weaveFindings({ fields: found, heights, partner });
}

function isInPlace({ view: { turn, x, y } }: Relation): boolean {
  const isUpright = !turn.transposed && !turn.mirrorX && !turn.mirrorY;
  return (
    isUpright && [x, y].every(({ scale, shift }) => Math.abs(scale - 1) < NEAR && Math.abs(shift) < NEAR)
  );
}

/**
 * The place of a distorted frame in the reference, which lies between two frames if the rates differ. Runs count
 * frames of the slower side.
 */
function partnerOf({ time: { runs } }: Relation, ratio: number, frame: number): number | undefined {
  const slower = ratio > 1 ? frame / ratio : frame;
  const run = runs.find(({ distorted, count }) => slower >= distorted && slower < distorted + count);
  if (run === undefined) return undefined;
  const place = run.reference + slower - run.distorted;
  return ratio < 1 ? place / ratio : place;
}

/** Decodes the fields of some moving frames that belong together; none if nothing moves. */
export async function decodeFields(
  { context, firstPicture, ...compared }: DecodedPair,
  pictures: BothPictures,
  relation: Relation,
  ratio: number,
): Promise<BothFields> {
  const starts = movingStarts(pictures.distorted);
  const bursts = starts.flatMap((start) => {
    const ends = [start, start + BURST - 1].map((frame) => partnerOf(relation, ratio, frame));
    const [from, to] = ends;
    if (from === undefined || to === undefined || to >= pictures.reference.count - 1) return [];
    return [{ distorted: span(start, start + BURST - 1), reference: span(Math.floor(from), Math.ceil(to)) }];
  });
  if (bursts.length === 0) return perSide(() => new FieldPictures(new Uint8Array(), []));
  const chosen = (side: Side) =>
    [...new Set(bursts.flatMap((burst) => burst[side]))].sort((one, other) => one - other);
  return bothSides(context.signal, async (side, signal) => {
    const frames = chosen(side);
    const wanted = {
      frames: frames.map((frame) => firstPicture + frame),
      ...{ filters: SHRINK_FIELDS, frameBytes: FIELDS_BYTES },
    };
    return new FieldPictures(await decodeRaw(compared, side, wanted, { ...context, signal }), frames);
  });
}

/** The starts of the bursts: for each part of the video, the frames that move most throughout, if they move. */
function movingStarts(pictures: Pictures): number[] {
  const last = Math.min(pictures.count, FARTHEST);
  const length = Math.max(BURST, Math.floor(last / BURSTS));
  const parts = Array.from({ length: Math.floor(last / length) }, (_, index) => index * length);
  return parts.flatMap((from) => {
    const changes = span(from, from + length - 2).map((frame) => change(pictures, frame));
    const windows = span(0, length - BURST).map((at) => ({
      start: from + at,
      // The median ignores cuts.
      moves: changes.slice(at, at + BURST - 1).sort((a, b) => a - b)[BURST >> 1] ?? 0,
    }));
    const best = windows.reduce((most, one) => (one.moves > most.moves ? one : most));
    return best.moves > MOVING ? [best.start] : [];
  });
}

function change(pictures: Pictures, frame: number): number {
  const [one, other] = [pictures.luma(frame), pictures.luma(frame + 1)];
  let sum = 0;
  for (let i = 0; i < one.length; i += SPARSE) sum += Math.abs((one[i] as number) - (other[i] as number));
  return (SPARSE * sum) / one.length;
}

/** Every n-th sample of a picture is enough to show whether it moves. */
const SPARSE = 7;

/** The numbers from `first` to `last`, both included. */
function span(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
