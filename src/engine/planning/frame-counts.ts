/** Settles the frame counts of a pair, and decides what happens if they differ. Pure. */
import { Failure } from "../../platform/failure.ts";
import type { Remedy } from "../contract/remedy.ts";
import { type PairRequest, perSide, type Side } from "../contract/request.ts";
import type { Warning } from "../contract/result.ts";
import { facts, framesText, type Track } from "../media/track.ts";
import { type Missing, missingFrames } from "./missing.ts";
import { countsOf, type Pairing } from "./pairing.ts";

type Tracks = Readonly<Record<Side, Track>>;

/** The condition under which COMMON pairs the right frames. */
const AT_THE_END = "the missing frames are the last ones";

/**
 * Updates a pairing with the frames that the tracks really have. Both counts must be equal, unless the request
 * limits the score to the common frames. Throws FRAME_COUNT_MISMATCH.
 */
export function settleCounts(planned: Pairing, tracks: Tracks, request: PairRequest): Pairing {
  const counts = countsOf(tracks, planned.thin);
  const pairing = { ...planned, counts, frameCount: Math.min(counts.reference, counts.distorted) };
  if (counts.reference === counts.distorted) return pairing;
  const missing = missingFrames(tracks, counts);
  if (request.onFrameCountMismatch === "REFUSE") throw refusal(pairing, tracks, missing);
  return { ...pairing, warnings: [...pairing.warnings, warning(pairing, missing)] };
}

function warning({ counts, frameCount }: Pairing, missing: Missing): Warning {
  const doubt = missing.isElsewhere
    ? `${missing.says} If so, the wrong frames were compared with each other.`
    : `That is right only if ${AT_THE_END}.`;
  const message = `The reference has ${framesText(counts.reference)} and the distorted video ${framesText(counts.distorted)}; as requested, the score covers only the first ${framesText(frameCount)} of each. ${doubt}`;
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

/** The option that scores the right frames; none if the timestamps show that it would pair the wrong ones. */
function advice(
  { frameCount, thin }: Pairing,
  tracks: Tracks,
  missing: Missing,
): { readonly says: string; readonly remedy?: Remedy } {
  const coded = perSide((side) => tracks[side].frames + tracks[side].hidden);
  if (!thin && coded.reference === coded.distorted) {
    const says = `Counting the frames that an edit list hides, both have ${coded.reference}: set editLists to IGNORE to score them all.`;
    return { says, remedy: { option: "editLists", value: "IGNORE" } };
  }
  if (missing.isElsewhere) return { says: `${missing.says} Use two videos with the same frames.` };
  return {
    says: `${missing.says} If the last ones are missing, set onFrameCountMismatch to COMMON: it compares frame N with frame N from the start, ${framesText(frameCount)} of each.`,
    remedy: { option: "onFrameCountMismatch", value: "COMMON", onlyIf: AT_THE_END },
  };
}
