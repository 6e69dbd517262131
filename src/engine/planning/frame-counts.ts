/** Settles the frame counts of a pair, and decides what happens if they differ. Pure. */
import { Failure } from "../../platform/failure.ts";
import { isAligned } from "../contract/alignment.ts";
import type { Remedy } from "../contract/remedy.ts";
import { type PairRequest, perSide, type Side } from "../contract/request.ts";
import type { Warning } from "../contract/result.ts";
import { facts, framesText, type Track } from "../media/track.ts";
import { type Missing, missingFrames } from "./missing.ts";
import { alignedRuns, alignedWarning, countsOf, lacksFrames, type Pairing, pairsIn } from "./pairing.ts";

type Tracks = Readonly<Record<Side, Track>>;

/** The condition under which COMMON pairs the right frames. */
const AT_THE_END = "the missing frames are the last ones";

/**
 * Whether the frame counts of the containers suffice to pair the frames of a request. If not, the frames that decode
 * must be counted before the pair is refused or shortened.
 */
export function countsSuffice(pairing: Pairing, tracks: Tracks, request: PairRequest): boolean {
  if (!isAligned(request)) return pairing.counts.reference === pairing.counts.distorted;
  try {
    alignedRuns(tracks, pairing.thin, request);
    return !lacksFrames(tracks, pairing, request);
  } catch {
    return false;
  }
}

/**
 * Updates a pairing with the frames that the tracks really have, and with the runs of the request. Unless the
 * request says which frames to leave out, both counts must be equal, or the request must limit them to the
 * common frames. Throws FRAME_COUNT_MISMATCH; INVALID_REQUEST for frames that a track does not have.
 */
export function settleCounts(planned: Pairing, tracks: Tracks, request: PairRequest): Pairing {
  const counts = countsOf(tracks, planned.thin);
  // A pair is settled again if its counts were wrong.
  const others = planned.warnings.filter(({ code }) => code !== "ALIGNED" && code !== "FRAME_COUNT_MISMATCH");
  const unsettled = { ...planned, counts, warnings: others };
  const { pairing, differs } = isAligned(request) ? aligned(unsettled, tracks, request) : byNumber(unsettled);
  if (!differs) return pairing;
  const missing = missingFrames(tracks, counts);
  if (request.onFrameCountMismatch === "REFUSE") throw refusal(pairing, tracks, missing);
  return { ...pairing, warnings: [...pairing.warnings, warning(pairing, missing)] };
}

interface Settled {
  readonly pairing: Pairing;
  readonly differs: boolean;
}

function byNumber(planned: Pairing): Settled {
  const { reference, distorted } = planned.counts;
  const pairing = { ...planned, frameCount: Math.min(reference, distorted) };
  return { pairing, differs: reference !== distorted };
}

function aligned(planned: Pairing, tracks: Tracks, request: PairRequest): Settled {
  const runs = alignedRuns(tracks, planned.thin, request);
  const pairing = { ...planned, runs, frameCount: pairsIn(runs) };
  const warnings = [...planned.warnings, alignedWarning(pairing, runs)];
  return { pairing: { ...pairing, warnings }, differs: lacksFrames(tracks, planned, request) };
}

function warning({ counts, frameCount, runs }: Pairing, missing: Missing): Warning {
  const doubt =
    missing.where === undefined
      ? `That is right only if ${AT_THE_END}.`
      : `${missing.says} If so, the wrong frames were compared with each other.`;
  const which = runs === undefined ? `only the first ${framesText(frameCount)} of each` : "no others";
  const message = `The reference has ${framesText(counts.reference)} and the distorted video ${framesText(counts.distorted)}; as requested, the score covers ${which}. ${doubt}`;
  return { code: "FRAME_COUNT_MISMATCH", message };
}

function refusal(pairing: Pairing, tracks: Tracks, missing: Missing): Failure {
  const { reference, distorted } = tracks;
  const { counts } = pairing;
  const { says, remedy } = advice(pairing, tracks, missing);
  return new Failure(
    "FRAME_COUNT_MISMATCH",
    `The reference has ${framesOf(reference, counts.reference)} and the distorted video ${framesOf(distorted, counts.distorted)}, so frames cannot be paired by number. ${says}`,
    { found: { ...facts(reference, distorted), ...(remedy && { remedy }) } },
  );
}

function framesOf(track: Track, frames: number): string {
  const text = framesText(frames);
  return track.hidden === 0 ? text : `${text} (without the ${track.hidden} that its edit list hides)`;
}

/**
 * Returns advice on the option that pairs the right frames; it names none if the timestamps show that every
 * option would pair wrong ones.
 */
function advice(
  pairing: Pairing,
  tracks: Tracks,
  missing: Missing,
): { readonly says: string; readonly remedy?: Remedy } {
  const { frameCount, thin } = pairing;
  const coded = perSide((side) => tracks[side].frames + tracks[side].hidden);
  if (!thin && coded.reference === coded.distorted) {
    const says = `Counting the frames that an edit list hides, both have ${coded.reference}: set editLists to IGNORE to score them all.`;
    return { says, remedy: { option: "editLists", value: "IGNORE" } };
  }
  if (missing.where === "middle")
    return {
      says: `${missing.says} Set runs, which list the frames that both have, or use two videos with the same frames.`,
    };
  if (missing.where === "start") return startAdvice(pairing, missing);
  return {
    says: `${missing.says} If the last ones are missing, set onFrameCountMismatch to COMMON: it compares frame N with frame N from the start, ${framesText(frameCount)} of each. If the first ones are missing, set offset.`,
    remedy: { option: "onFrameCountMismatch", value: "COMMON", onlyIf: AT_THE_END },
  };
}

/**
 * Returns the advice if the shorter side lacks frames at the beginning: an offset of the difference in
 * frames, unless its end differs too.
 */
function startAdvice(
  { counts, thin }: Pairing,
  { side, says }: Missing,
): { readonly says: string; readonly remedy?: Remedy } {
  const missing = Math.abs(counts.reference - counts.distorted);
  const onlyIf = `the first ${framesText(missing)} and no others are missing`;
  const skipped = missing * (thin?.side === "distorted" ? thin.every : 1);
  const value = side === "distorted" ? -skipped : skipped;
  return {
    says: `${says} If ${onlyIf}, set offset to ${value}.`,
    remedy: { option: "offset", value, onlyIf },
  };
}
