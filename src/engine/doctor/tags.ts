/** What the tags of the two videos say of their samples. */
import type { Finding } from "../contract/finding.ts";
import { perSide, type Side } from "../contract/request.ts";
import type { Track } from "../media/track.ts";
import { comparedRange } from "../planning/compare.ts";

/** Tags that differ though the samples do not: a score of the samples is right, but players show the two differently. */
export function tagFindings(tracks: Readonly<Record<Side, Track>>): Finding[] {
  const { reference, distorted } = perSide((side) => comparedRange(tracks[side]));
  if (reference === distorted) return [];
  return [
    {
      code: "RANGE_DIFFERS",
      confidence: "likely",
      evidence: `The reference is of ${reference.toLowerCase()} and the distorted video of ${distorted.toLowerCase()} range by its tags, but their samples are of the same range: one of the tags is wrong.`,
      fix: { rangeOf: { reference, distorted: reference } },
    },
  ];
}
