/** Identifies the packets or files that the compared frames of a segment are decoded from. */
import { givenSides, perSide, SIDES, type Side } from "../contract/request.ts";
import { coverageIn } from "../coverage/coverage.ts";
import type { Source, Sources } from "../files/source.ts";
import { contentOf, type Decoded } from "../media/content.ts";
import { toNumber } from "../media/rational.ts";
import type { Track } from "../media/track.ts";
import { type Pairing, sourceFrames } from "./pairing.ts";
import type { Segment } from "./segment.ts";

/** The identity of each side's file (files/identity.ts). */
export type Identities = Readonly<Record<Side, Pick<Source, "identity" | "fetch" | "asked">>>;

interface Pair {
  readonly tracks: Readonly<Record<Side, Track>>;
  readonly pairing: Pairing;
}

/**
 * Returns a text that is equal for segments whose frames are decoded from the same packets. Files without packets, such
 * as y4m, and files that were planned by their index must be the same file. Undefined if not known.
 */
export function segmentContent(
  { tracks, pairing }: Pair,
  segment: Segment,
  files: Identities,
): string | undefined {
  const decoded = decodedOf({ tracks, pairing }, segment);
  const sides = SIDES.map((side) => {
    const { content } = tracks[side];
    const packets = content && decoded && contentOf(content, decoded[side]);
    const { identity, fetch, asked } = files[side];
    // Versions only distinguish objects of the same name.
    const known = identity && (fetch === undefined ? `file ${identity}` : `${identity} ${asked}`);
    return packets ?? known;
  });
  return sides.includes(undefined) ? undefined : sides.join("\n");
}

/** Returns the segments with the coverages of the fetched sides that their scoring needs. */
export function withCoverages(
  segments: readonly Segment[],
  pair: Pair,
  sources: Sources,
): readonly Segment[] {
  const { reference, distorted } = perSide((side) => {
    const { fetch, size } = sources[side];
    return fetch && coverageIn(pair.tracks[side], size);
  });
  if (reference === undefined && distorted === undefined) return segments;
  return segments.map((segment) => {
    const decoded = decodedOf(pair, segment);
    const coverages = givenSides({
      reference: decoded?.reference && reference?.(decoded.reference),
      distorted: decoded?.distorted && distorted?.(decoded.distorted),
    });
    return coverages === undefined ? segment : { ...segment, coverages };
  });
}

/**
 * Returns the times between which each side is decoded, context included, or nothing for all of it; undefined: it has
 * no times.
 */
function decodedOf(
  { tracks, pairing }: Pair,
  { first, count, after, cut }: Segment,
): Readonly<Record<Side, Decoded | undefined>> | undefined {
  if (cut === undefined) return { reference: undefined, distorted: undefined };
  if (SIDES.some((side) => tracks[side].times === undefined)) return undefined;
  const sourceOf = sourceFrames(pairing);
  return perSide((side) => {
    const { times } = tracks[side];
    const { seek, range } = cut[side];
    const last = times?.pts[sourceOf(side, first + count + after - 1)];
    return {
      from: seek === undefined || times === undefined ? -Infinity : seek / toNumber(times.timeBase),
      to: range.end === undefined || last === undefined ? Infinity : last,
    };
  });
}
