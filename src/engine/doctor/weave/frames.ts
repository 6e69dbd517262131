/** Measures which frames of a side, or of two sides, are woven of fields of different moments. */
import type { Side } from "../../contract/request.ts";
import type { FieldPictures } from "../../media/field-pictures.ts";
import {
  type BothFields,
  type FieldRelation,
  fieldDifference,
  minus,
  movement,
  relationOf,
  strength,
} from "./measure.ts";

/** Levels by which a frame's neighbours must differ for its fields to show anything. */
const MOVING = 0.5;
/** Correlation and slope with the movement from which fields follow it. Encodes of progressive frames stay below both. */
const FOLLOWS = 0.3;
const ENOUGH = 0.2;
/** The same of one side alone, whose fields differ by fine detail as well. */
const ENOUGH_ALONE = 0.25;
/** Times the other side's difference, and part of the movement, from which fields differ by fast movement. */
const WIDER = 2;
const LARGE = 0.5;

/** A moving frame of one side. */
export interface OwnWeave {
  readonly frame: number;
  readonly isWoven: boolean;
}

/** Two moving frames that show the same. */
export interface PairWeave {
  /** Whether the fields of one of the two differ by the movement, and the other's do not, or the other way. */
  readonly isWoven: boolean;
  /** Of each side, how its fields' difference follows the movement; positive: the top field is first. */
  readonly follows: Readonly<Record<Side, FieldRelation>>;
  /** How what the distorted side's fields differ more than the reference's follows the movement. */
  readonly slope: number;
  /** The distorted side's difference of fields as a multiple of the reference's. */
  readonly wider: number;
}

export type Heights = Readonly<Record<Side, number>>;

export function ownWeaves(pictures: FieldPictures, height: number): OwnWeave[] {
  return pictures.frames.flatMap((frame) => {
    const [rows, moved] = [pictures.rows(frame), movementAt(pictures, frame)];
    if (rows === undefined || moved === undefined) return [];
    const { slope, correlation } = relationOf(fieldDifference(rows, height), moved);
    return [{ frame, isWoven: Math.abs(correlation) > FOLLOWS && Math.abs(slope) > ENOUGH_ALONE }];
  });
}

/** `partner`: the reference's frame that shows what a frame of the distorted video does; undefined: none. */
export function pairWeaves(
  { reference, distorted }: BothFields,
  heights: Heights,
  partner: (distorted: number) => number | undefined,
): PairWeave[] {
  return distorted.frames.flatMap((frame) => {
    const [rows, moved] = [distorted.rows(frame), movementAt(distorted, frame)];
    const other = partner(frame);
    const otherRows = other === undefined ? undefined : reference.rows(other);
    if (rows === undefined || moved === undefined || otherRows === undefined) return [];
    const own = fieldDifference(rows, heights.distorted);
    const theirs = fieldDifference(otherRows, heights.reference);
    const apart = minus(own, theirs);
    const { slope, correlation } = relationOf(apart, moved);
    const wider = strength(own) / Math.max(1e-3, strength(theirs));
    const isFollowing = Math.abs(correlation) > FOLLOWS && Math.abs(slope) > ENOUGH;
    // Encodes take fine detail away, in which the reference's fields differ, but add none.
    const isFar = strength(apart) > LARGE * strength(moved) && wider > WIDER;
    const sides = { reference: relationOf(theirs, moved), distorted: relationOf(own, moved) };
    return [{ isWoven: isFollowing || isFar, follows: sides, slope, wider }];
  });
}

/** Undefined: a neighbour is missing, or nothing moves. */
function movementAt(pictures: FieldPictures, frame: number) {
  const [before, after] = [pictures.rows(frame - 1), pictures.rows(frame + 1)];
  if (before === undefined || after === undefined) return undefined;
  const moved = movement(before, after);
  return strength(moved) > MOVING ? moved : undefined;
}
