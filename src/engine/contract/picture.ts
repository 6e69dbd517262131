/** The part of each side's pictures that is compared, how it is mirrored, and what the samples mean. */
import { MAX_SIDE_PIXELS } from "../../jobs/request-limits.ts";
import { invalid } from "../../platform/failure.ts";
import { type PairRequest, SIDES, type Side } from "./request.ts";

/** A part of a picture, in samples of its side. */
export interface Area {
  /** Samples to the left of it, and above it. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** HORIZONTAL: left and right are exchanged. */
export const MIRRORINGS = ["HORIZONTAL", "VERTICAL", "BOTH"] as const;
export type Mirroring = (typeof MIRRORINGS)[number];

export const RANGES = ["LIMITED", "FULL"] as const;
export type SampleRange = (typeof RANGES)[number];
export const MATRICES = ["BT601", "BT709", "BT2020"] as const;
export type SampleMatrix = (typeof MATRICES)[number];

export interface PictureRequest {
  /**
   * The part of a side that is compared, before scaling. A side that is rotated for the comparison is cropped after the
   * rotation.
   */
  readonly crop?: Partial<Readonly<Record<Side, Area>>> | undefined;
  /** How a side is mirrored, after cropping. */
  readonly mirror?: Partial<Readonly<Record<Side, Mirroring>>> | undefined;
  /** What the samples of a side are, regardless of its tags. The distorted video is converted to the reference's range. */
  readonly rangeOf?: Partial<Readonly<Record<Side, SampleRange>>> | undefined;
  /** Given for both sides or for neither. The distorted video is converted to the reference's matrix. */
  readonly matrixOf?: Partial<Readonly<Record<Side, SampleMatrix>>> | undefined;
}

/** Throws INVALID_REQUEST for an area that no picture has, or a direction that does not exist. */
export function refusePicture({ crop, mirror, rangeOf, matrixOf }: PairRequest): void {
  for (const side of SIDES) {
    const area = crop?.[side];
    if (area !== undefined && !isArea(area))
      throw invalid(
        `crop.${side} is ${areaText(area)}. Use whole numbers of samples: a width and a height from 1, x and y from 0, all up to ${MAX_SIDE_PIXELS}.`,
      );
    refuseOther(`mirror.${side}`, mirror?.[side], MIRRORINGS);
    refuseOther(`rangeOf.${side}`, rangeOf?.[side], RANGES);
    refuseOther(`matrixOf.${side}`, matrixOf?.[side], MATRICES);
  }
  if ((matrixOf?.reference === undefined) !== (matrixOf?.distorted === undefined))
    throw invalid(
      "matrixOf names the matrix of one side only. Files do not state it reliably, so name it for both sides.",
    );
}

function refuseOther(name: string, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || known.includes(value)) return;
  throw invalid(`${name} is ${value}. Use ${known.join(", ")}.`);
}

function isArea({ x, y, width, height }: Area): boolean {
  const isIn = (value: number, least: number): boolean =>
    Number.isInteger(value) && value >= least && value <= MAX_SIDE_PIXELS;
  return isIn(x, 0) && isIn(y, 0) && isIn(width, 1) && isIn(height, 1);
}

/** Formats an area as "1920x800+0+140". */
export function areaText({ x, y, width, height }: Area): string {
  return `${width}x${height}+${x}+${y}`;
}
