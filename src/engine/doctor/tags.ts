/** Findings about the tags of the two videos' samples. */
import type { Finding } from "../contract/finding.ts";
import { perSide, type Side } from "../contract/request.ts";
import {
  dynamicsOf,
  primariesLikeness,
  primariesTitle,
  transferLikeness,
  transferTitle,
} from "../media/colour-tags.ts";
import type { Track } from "../media/track.ts";
import { comparedRange } from "../planning/compare.ts";
import type { BlockMeans } from "./samples/block-means.ts";
import { isFullRange } from "./samples/levels.ts";
import { isConverted, isUnchanged, type Tones } from "./samples/tones.ts";

type Tracks = Readonly<Record<Side, Track>>;

/**
 * Finds range tags that differ although the samples do not. A score of the samples is then right, but players show
 * the two videos differently.
 */
export function rangeTagFindings(tracks: Tracks, means: BlockMeans): Finding[] {
  const { reference, distorted } = perSide((side) => comparedRange(tracks[side]));
  if (reference === distorted) return [];
  const range = isFullRange(means) ? "FULL" : "LIMITED";
  return [
    {
      code: "RANGE_DIFFERS",
      confidence: "likely",
      evidence: `The reference is of ${reference.toLowerCase()} and the distorted video of ${distorted.toLowerCase()} range by its tags, but their samples are of the same range: one of the tags is wrong.`,
      fix: { rangeOf: { reference: range, distorted: range } },
    },
  ];
}

/**
 * Finds transfer functions that differ according to the tags; certain if the samples differ in the same way.
 * `measure` is called only if the tags differ.
 */
export function transferFindings(
  { reference, distorted }: Tracks,
  measure: () => Tones | undefined,
): Finding[] {
  const [from, to] = [reference.transfer, distorted.transfer];
  const likeness = transferLikeness(from, to);
  if (from === undefined || to === undefined || likeness === "same") return [];
  const stated = `The reference is ${described(from, to)}, the distorted video ${described(to, from)} by their tags`;
  const tones = likeness === "near" ? undefined : measure();
  if (tones === undefined)
    return [transferFinding(likeness === "near" ? "possible" : "likely", `${stated}.`)];
  if (isUnchanged(tones))
    return [
      transferFinding(
        "likely",
        `${stated}, but their samples have the same levels: probably one of the tags is wrong.`,
      ),
    ];
  const measured = `luma differs by ${tones.difference.toFixed(1)} levels on average, of which one curve for all frames leaves ${tones.left.toFixed(1)}`;
  if (!isConverted(tones, from, to)) return [transferFinding("likely", `${stated}; ${measured}.`)];
  const evidence = `${stated}, and their samples agree: ${measured}.`;
  return [{ ...transferFinding("certain", evidence), size: tones.difference }];
}

function transferFinding(confidence: Finding["confidence"], evidence: string): Finding {
  return { code: "TRANSFER_DIFFERS", confidence, evidence };
}

/** "HDR (PQ)" if the other is SDR, else "PQ". */
function described(transfer: string, other: string): string {
  const [title, dynamics] = [transferTitle(transfer), dynamicsOf(transfer)];
  return dynamics === undefined || dynamics === dynamicsOf(other) ? title : `${dynamics} (${title})`;
}

/** Finds primaries that differ according to the tags. Samples cannot show it, because any colours could be meant. */
export function primariesFindings({ reference, distorted }: Tracks): Finding[] {
  const [from, to] = [reference.primaries, distorted.primaries];
  const likeness = primariesLikeness(from, to);
  if (from === undefined || to === undefined || likeness === "same") return [];
  return [
    {
      code: "PRIMARIES_DIFFER",
      confidence: likeness === "near" ? "possible" : "likely",
      evidence: `The reference has the primaries of ${primariesTitle(from)} and the distorted video those of ${primariesTitle(to)} by their tags: the same samples are other colours on each side.`,
    },
  ];
}
