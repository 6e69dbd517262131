/** What the tags of the two videos say of their samples. */
import type { Finding } from "../contract/finding.ts";
import type { Side } from "../contract/request.ts";
import type { Track } from "../media/track.ts";
import type { RangeTags } from "./samples/levels.ts";

export function rangeTags(tracks: Readonly<Record<Side, Track>>): RangeTags {
  const of = (side: Side) => tracks[side].range || (tracks[side].pixels.fullByName ? "full" : undefined);
  const [reference, distorted] = [of("reference"), of("distorted")];
  return { ...(reference && { reference }), ...(distorted && { distorted }) };
}

/** Tags that differ though the samples do not: a score of the samples is right, but players show the two differently. */
export function tagFindings({ reference = "limited", distorted = "limited" }: RangeTags): Finding[] {
  if (reference === distorted) return [];
  const range = reference === "full" ? "FULL" : "LIMITED";
  return [
    {
      code: "RANGE_DIFFERS",
      confidence: "likely",
      evidence: `The reference is of ${reference} and the distorted video of ${distorted} range by its tags, but their samples are of the same range: one of the tags is wrong.`,
      fix: { rangeOf: { reference: range, distorted: range } },
    },
  ];
}
