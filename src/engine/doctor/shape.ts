/** Finds pictures that players display in different shapes. */
import type { Finding } from "../contract/finding.ts";
import type { Side } from "../contract/request.ts";
import type { Track } from "../media/track.ts";
import { shapeDifference, turnedSides } from "../planning/shapes.ts";

/**
 * `found` are the findings about the pictures. Different areas and turns also change the shape, and have findings of
 * their own.
 */
export function shapeFindings(
  tracks: Readonly<Record<Side, Track>>,
  found: readonly Finding[],
): readonly Finding[] {
  if (found.some(({ area, code }) => area !== undefined || code === "ROTATED")) return [];
  const difference = shapeDifference(tracks.reference, tracks.distorted, turnedSides(tracks));
  if (difference === undefined) return [];
  const { reference, distorted, isStated } = difference;
  const unless = isStated ? "" : ", unless the file that states no sample aspect ratio is anamorphic";
  return [
    {
      code: "ASPECT_RATIO_DIFFERS",
      confidence: isStated ? "likely" : "possible",
      evidence: `The reference is ${reference} and the distorted video ${distorted}: players display the same picture in different shapes${unless}.`,
    },
  ];
}
