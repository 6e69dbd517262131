/** Decides whether the frames of two tracks can be compared by shape: which are rotated, and how they are scaled. */
import { Failure, type Found, invalid } from "../../platform/failure.ts";
import { type Area, areaText } from "../contract/picture.ts";
import type { Remedy } from "../contract/remedy.ts";
import { type PairRequest, SIDES, type Side } from "../contract/request.ts";
import type { ScalingInfo, Warning } from "../contract/result.ts";
import { chromaSteps } from "../media/pixels.ts";
import { toNumber } from "../media/rational.ts";
import { aspectText, facts, NAMES, type Track } from "../media/track.ts";

/**
 * Shapes closer than this are equal. Two conventions for standard definition differ by 720/704, 2.3 % (samples of 16:15
 * and 12:11, or 64:45 and 16:11, for the same picture), and rounding to even sizes changes a shape by up to 2 %.
 */
const SAME_SHAPE = 0.024;

/** Returns the width and height, in samples, in which a side is compared. */
export function comparedSize(track: Track, turned: readonly Side[]): readonly [number, number] {
  return isSideways(track, turned) ? [track.height, track.width] : [track.width, track.height];
}

function isSideways(track: Track, turned: readonly Side[]): boolean {
  return turned.includes(track.side) && track.rotation % 180 === 90;
}

/** Returns the track as if only its compared part had been coded. */
export function croppedTrack(track: Track, turned: readonly Side[], area: Area | undefined): Track {
  if (area === undefined) return track;
  refuseArea(track, turned, area);
  const [width, height] = isSideways(track, turned) ? [area.height, area.width] : [area.width, area.height];
  return { ...track, width, height };
}

/** Throws INVALID_REQUEST for an area that is not within the picture, or that divides its chroma samples. */
function refuseArea(track: Track, turned: readonly Side[], area: Area): void {
  const { side, pixels } = track;
  const [width, height] = comparedSize(track, turned);
  if (area.x + area.width > width || area.y + area.height > height)
    throw invalid(
      `crop.${side} is ${areaText(area)}, but the pictures of the ${NAMES[side]} are ${width}x${height}. Give an area within them.`,
    );
  const steps = chromaSteps(pixels);
  const [across, down] = isSideways(track, turned) ? steps.toReversed() : steps;
  for (const [name, step] of [
    ["x", across],
    ["width", across],
    ["y", down],
    ["height", down],
  ] as const) {
    if (step === undefined || area[name] % step === 0) continue;
    throw invalid(
      `crop.${side} has ${name} ${area[name]}, but ${pixels.name} has chroma samples for every ${step} luma samples in this direction. Use a multiple of ${step}.`,
    );
  }
}

/** Warns of sides that are cropped or mirrored, as requested. */
export function pictureWarnings({ crop, mirror }: PairRequest): readonly Warning[] {
  return SIDES.flatMap((side) => {
    const [area, direction] = [crop?.[side], mirror?.[side]];
    const name = NAMES[side];
    return [
      ...(area === undefined
        ? []
        : [
            { code: "CROPPED", message: `As requested, only ${areaText(area)} of the ${name} was compared.` },
          ]),
      ...(direction === undefined
        ? []
        : [
            {
              code: "MIRRORED",
              message: `As requested, the ${name} was mirrored before the comparison (${direction.toLowerCase()}).`,
            },
          ]),
    ];
  });
}

/**
 * Returns the displayed aspect ratio of a side, width divided by height; samples of unknown shape count as
 * square.
 */
function shownShape(track: Track, turned: readonly Side[]): number {
  const shape = (track.width / track.height) * (track.sampleAspect ? toNumber(track.sampleAspect) : 1);
  return isSideways(track, turned) ? 1 / shape : shape;
}

function isSameShape(one: number, other: number): boolean {
  return Math.max(one, other) / Math.min(one, other) - 1 <= SAME_SHAPE;
}

/**
 * Decides which sides are rotated before the comparison. Frames are compared as coded, without rotation for display, if
 * both sides ask for the same rotation or both are coded as portrait or both as landscape. If only one was rotated
 * before coding, the other is rotated for the comparison. Throws ORIENTATION_MISMATCH.
 */
export function orient(
  reference: Track,
  distorted: Track,
): { readonly sides: readonly Side[]; readonly warnings: readonly Warning[] } {
  if (reference.rotation === distorted.rotation) return { sides: [], warnings: [] };
  const turns = `The reference is displayed rotated by ${reference.rotation}°, the distorted video by ${distorted.rotation}°`;
  if (isPortrait(reference, []) === isPortrait(distorted, [])) {
    const message = `${turns}; their frames were compared as coded.`;
    return { sides: [], warnings: [{ code: "ROTATION_DIFFERS", message }] };
  }
  const sides = [reference, distorted].filter((track) => track.rotation !== 0).map((track) => track.side);
  if (isPortrait(reference, sides) !== isPortrait(distorted, sides)) {
    throw new Failure(
      "ORIENTATION_MISMATCH",
      `${turns}, and one is portrait and the other landscape. Use videos of the same orientation.`,
      { found: facts(reference, distorted) },
    );
  }
  const message = `${turns}; the ${sides.join(" and the ")} video was rotated before the comparison.`;
  return { sides, warnings: [{ code: "ROTATED", message }] };
}

/** Returns the sides that are rotated before the comparison; none if the two are of different orientations. */
export function turnedSides({ reference, distorted }: Readonly<Record<Side, Track>>): readonly Side[] {
  try {
    return orient(reference, distorted).sides;
  } catch (error) {
    if (Failure.from(error).code === "ORIENTATION_MISMATCH") return [];
    throw error;
  }
}

function isPortrait(track: Track, turned: readonly Side[]): boolean {
  return shownShape(track, turned) < 1;
}

/**
 * Decides how the distorted video is scaled to the reference's size; undefined if the sizes are equal.
 * `found`: the facts for a failure. Throws ORIENTATION_MISMATCH or FRAME_SIZE_MISMATCH.
 */
export function scale(
  reference: Track,
  distorted: Track,
  turned: readonly Side[],
  policy: PairRequest["scaling"],
  found: Found,
): ScalingInfo | undefined {
  const [toWidth, toHeight] = comparedSize(reference, turned);
  const [fromWidth, fromHeight] = comparedSize(distorted, turned);
  if (toWidth === fromWidth && toHeight === fromHeight) return undefined;
  const sizes = `The reference is ${sizeText(reference, turned)} and the distorted video ${sizeText(distorted, turned)}`;
  if (areAcross(reference, distorted, turned)) {
    throw new Failure(
      "ORIENTATION_MISMATCH",
      `${sizes}: one is portrait and the other landscape. Use videos of the same orientation.`,
      { found },
    );
  }
  if (policy === "REFUSE") {
    throw new Failure(
      "FRAME_SIZE_MISMATCH",
      `${sizes}. Set scaling to AUTO to scale the distorted video to the reference's size.`,
      {
        found: {
          ...found,
          remedy: { option: "scaling", value: "AUTO" } satisfies Remedy,
        },
      },
    );
  }
  return { fromWidth, fromHeight, toWidth, toHeight, algorithm: "bicubic" };
}

/**
 * Whether one side is portrait and the other landscape, both as displayed and by their samples: a wrong aspect ratio in
 * a header does not rotate the frames. If the heights are equal and one side states no aspect ratio, the pair counts as
 * anamorphic (352x576 and 720x576), not as rotated.
 */
function areAcross(reference: Track, distorted: Track, turned: readonly Side[]): boolean {
  const [toWidth, toHeight] = comparedSize(reference, turned);
  const [fromWidth, fromHeight] = comparedSize(distorted, turned);
  const isUnknown = reference.sampleAspect === undefined || distorted.sampleAspect === undefined;
  if (isUnknown && toHeight === fromHeight) return false;
  const [to, from] = [shownShape(reference, turned), shownShape(distorted, turned)];
  return crosses(toWidth / toHeight, fromWidth / fromHeight) && crosses(to, from) && !isSameShape(to, from);
}

function crosses(one: number, other: number): boolean {
  return Math.min(one, other) < 1 && Math.max(one, other) > 1;
}

/** Returns "720x576", or "720x576 with samples of 16:15" if the samples are not square. */
function sizeText(track: Track, turned: readonly Side[]): string {
  const size = comparedSize(track, turned).join("x");
  const { num, den } = track.sampleAspect ?? { num: 1, den: 1 };
  if (num === den) return size;
  const aspect = isSideways(track, turned) ? { num: den, den: num } : { num, den };
  return `${size} with samples of ${aspectText(aspect)}`;
}

/** Sizes and sample aspect ratios of two videos that players display in different shapes. */
export interface ShapeDifference {
  /** "352x576 with samples of 16:15" */
  readonly reference: string;
  readonly distorted: string;
  /** Whether both files state their sample aspect ratios. */
  readonly isStated: boolean;
}

/** Returns undefined if the shapes are the same. */
export function shapeDifference(
  reference: Track,
  distorted: Track,
  turned: readonly Side[],
): ShapeDifference | undefined {
  if (isSameShape(shownShape(reference, turned), shownShape(distorted, turned))) return undefined;
  return {
    reference: sizeText(reference, turned),
    distorted: sizeText(distorted, turned),
    isStated: reference.sampleAspect !== undefined && distorted.sampleAspect !== undefined,
  };
}

/** Warns of sizes and shapes that differ. */
export function shapeWarnings(
  reference: Track,
  distorted: Track,
  turned: readonly Side[],
  scaling: ScalingInfo | undefined,
): readonly Warning[] {
  const difference = shapeDifference(reference, distorted, turned);
  if (scaling) {
    const { fromWidth, fromHeight, toWidth, toHeight } = scaling;
    const unless = difference?.isStated
      ? ""
      : ", unless a file that states no sample aspect ratio is anamorphic";
    const stretched = difference
      ? ` The two have different shapes: the distorted video was stretched${unless}.`
      : "";
    const message = `The distorted video was scaled from ${fromWidth}x${fromHeight} to the reference's ${toWidth}x${toHeight} (bicubic).${stretched}`;
    return [{ code: "SCALED", message }];
  }
  if (!difference?.isStated) return [];
  const message = `The reference is ${difference.reference} and the distorted video ${difference.distorted}, which players display in different shapes; their samples were compared as they are.`;
  return [{ code: "ASPECT_RATIO_DIFFERS", message }];
}
