/** Whether the pictures of two tracks can be compared: which are turned, and how they come to one size. */
import { Failure } from "../platform/failure.ts";
import type { PairRequest, Side } from "./request.ts";
import type { ScalingInfo, Warning } from "./result.ts";
import { facts, type Track } from "./track.ts";

/** Width and height of a side's picture as it is compared. */
export function shownSize(track: Track, turned: readonly Side[]): readonly [number, number] {
  const sideways = turned.includes(track.side) && track.rotation % 180 === 90;
  return sideways ? [track.height, track.width] : [track.width, track.height];
}

/**
 * The pictures are compared as they are coded, without turning them for display, when
 * both ask for the same turn or are coded in the same shape. A file that is to be
 * turned beside one that was turned before coding is turned for the comparison.
 */
export function orient(
  reference: Track,
  distorted: Track,
): { readonly sides: readonly Side[]; readonly warnings: readonly Warning[] } {
  if (reference.rotation === distorted.rotation) return { sides: [], warnings: [] };
  const turns = `The reference is shown turned by ${reference.rotation}°, the distorted video by ${distorted.rotation}°`;
  if (isPortrait(reference, []) === isPortrait(distorted, [])) {
    const message = `${turns}; their pictures were compared as they are coded.`;
    return { sides: [], warnings: [{ code: "ROTATION_DIFFERS", message }] };
  }
  const sides = [reference, distorted].filter((track) => track.rotation !== 0).map((track) => track.side);
  if (isPortrait(reference, sides) !== isPortrait(distorted, sides)) {
    throw new Failure(
      "ORIENTATION_MISMATCH",
      `${turns}, and one is upright where the other is wide. Give videos of the same orientation.`,
      { found: facts(reference, distorted) },
    );
  }
  const message = `${turns}; the ${sides.join(" and the ")} picture was turned before it was compared.`;
  return { sides, warnings: [{ code: "ROTATED", message }] };
}

function isPortrait(track: Track, turned: readonly Side[]): boolean {
  const [width, height] = shownSize(track, turned);
  return height > width;
}

/** How the distorted picture comes to the reference's size; undefined where it has it. */
export function scale(
  reference: Track,
  distorted: Track,
  turned: readonly Side[],
  policy: PairRequest["scaling"],
): ScalingInfo | undefined {
  const [toWidth, toHeight] = shownSize(reference, turned);
  const [fromWidth, fromHeight] = shownSize(distorted, turned);
  if (toWidth === fromWidth && toHeight === fromHeight) return undefined;
  if (toHeight > toWidth !== fromHeight > fromWidth && toWidth !== toHeight && fromWidth !== fromHeight) {
    throw new Failure(
      "ORIENTATION_MISMATCH",
      `The reference is ${toWidth}x${toHeight} and the distorted video ${fromWidth}x${fromHeight}: one is upright where the other is wide. Give videos of the same orientation.`,
      { found: facts(reference, distorted) },
    );
  }
  if (policy === "REFUSE") {
    throw new Failure(
      "FRAME_SIZE_MISMATCH",
      `The reference is ${toWidth}x${toHeight} and the distorted video ${fromWidth}x${fromHeight}. Set scaling to AUTO to have the distorted video scaled to the reference's size.`,
      { found: facts(reference, distorted) },
    );
  }
  return { fromWidth, fromHeight, toWidth, toHeight, algorithm: "bicubic" };
}

export function scalingWarning(scaling: ScalingInfo): Warning {
  const { fromWidth, fromHeight, toWidth, toHeight } = scaling;
  const shape = (fromWidth / fromHeight) * (toHeight / toWidth);
  // 2 %: what rounding to even sizes can do to a shape; more is another aspect ratio.
  const stretched =
    Math.abs(shape - 1) > 0.02 ? " The two have different shapes: the picture was stretched." : "";
  return {
    code: "SCALED",
    message: `The distorted video was scaled from ${fromWidth}x${fromHeight} to the reference's ${toWidth}x${toHeight} (bicubic).${stretched}`,
  };
}
