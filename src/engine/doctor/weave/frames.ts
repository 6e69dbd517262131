/** Measures which frames of a side, or of two sides, are woven of fields of different moments. */
import type { Side } from "../../contract/request.ts";
import type { FieldPictures } from "../../media/pictures.ts";
import { productOf } from "../sums.ts";
import {
  type FieldRelation,
  fieldDifference,
  type Levels,
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
  /** What else the sides' fields differ by, as a multiple of the movement. */
  readonly hidden: number;
}

/** Measurements of a frame's fields. */
interface Woven {
  /** How they differ, with the sum of squares. */
  readonly difference: Levels;
  readonly squares: number;
  /** How the frame moves, and the sums of products with the difference and of squares; undefined: it does not. */
  readonly moved: { readonly levels: Levels; readonly product: number; readonly squares: number } | undefined;
}

/** The frames of a side, each measured once. */
export class WovenSide {
  readonly #pictures: FieldPictures;
  readonly #height: number;
  readonly #measured = new Map<number, Woven>();

  /** `height`: lines of the side's frames. */
  constructor(pictures: FieldPictures, height: number) {
    this.#pictures = pictures;
    this.#height = height;
  }

  get frames(): readonly number[] {
    return this.#pictures.frames;
  }

  /** Undefined: there is no such frame. */
  at(frame: number): Woven | undefined {
    const known = this.#measured.get(frame);
    if (known !== undefined) return known;
    const rows = this.#pictures.rows(frame);
    if (rows === undefined) return undefined;
    const difference = fieldDifference(rows, this.#height);
    const moved = this.#movementAt(frame, difference);
    const woven = { difference, squares: productOf(difference, difference), moved };
    this.#measured.set(frame, woven);
    return woven;
  }

  /** Undefined: a neighbour is missing, or nothing moves. */
  #movementAt(frame: number, difference: Levels): Woven["moved"] {
    const [before, after] = [this.#pictures.rows(frame - 1), this.#pictures.rows(frame + 1)];
    if (before === undefined || after === undefined) return undefined;
    const levels = movement(before, after);
    const squares = productOf(levels, levels);
    if (strength(squares) <= MOVING) return undefined;
    return { levels, squares, product: productOf(difference, levels) };
  }
}

export function ownWeaves(side: WovenSide): OwnWeave[] {
  return side.frames.flatMap((frame) => {
    const { squares = 0, moved } = side.at(frame) ?? {};
    if (moved === undefined) return [];
    const { slope, correlation } = relationOf(moved.product, squares, moved.squares);
    return [{ frame, isWoven: Math.abs(correlation) > FOLLOWS && Math.abs(slope) > ENOUGH_ALONE }];
  });
}

/** `partner`: the reference's frame that shows what a frame of the distorted video does; undefined: none. */
export function pairWeaves(
  { reference, distorted }: Readonly<Record<Side, WovenSide>>,
  partner: (distorted: number) => number | undefined,
): PairWeave[] {
  return distorted.frames.flatMap((frame) => {
    const [own, other] = [distorted.at(frame), partner(frame)];
    const theirs = other === undefined ? undefined : reference.at(other);
    return own?.moved === undefined || theirs === undefined ? [] : [pairWeave(own, own.moved, theirs)];
  });
}

function pairWeave(own: Woven, moved: NonNullable<Woven["moved"]>, theirs: Woven): PairWeave {
  const theirProduct = productOf(theirs.difference, moved.levels);
  const common = productOf(own.difference, theirs.difference);
  // How much more the distorted side's fields differ: the products of a difference are those of its parts.
  const apart = Math.max(0, own.squares + theirs.squares - 2 * common);
  const { slope, correlation } = relationOf(moved.product - theirProduct, apart, moved.squares);
  const wider = strength(own.squares) / Math.max(1e-3, strength(theirs.squares));
  const isFollowing = Math.abs(correlation) > FOLLOWS && Math.abs(slope) > ENOUGH;
  // Encodes take fine detail away, in which the reference's fields differ, but add none.
  const isFar = strength(apart) > LARGE * strength(moved.squares) && wider > WIDER;
  const follows = {
    reference: relationOf(theirProduct, theirs.squares, moved.squares),
    distorted: relationOf(moved.product, own.squares, moved.squares),
  };
  const hidden = strength(apart * (1 - correlation ** 2)) / strength(moved.squares);
  return { isWoven: isFollowing || isFar, follows, slope, wider, hidden };
}
