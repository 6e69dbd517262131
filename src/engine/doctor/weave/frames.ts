/**
 * Measures which frames of a side, or of two sides, are woven: made of fields of different moments. Thresholds were
 * tuned on the development half of the corpus of bench/doctor.
 */
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

/** Least difference of a frame's neighbours, in levels, for its fields to show anything. */
const MOVING = 0.5;
/** Least correlation with the movement for fields to follow it. Encodes of progressive frames stay below it. */
const FOLLOWS = 0.3;
/** Least slope with the movement for fields to follow it. Encodes of progressive frames stay below it. */
const ENOUGH = 0.2;
/** The least slope if one side is examined alone, because its fields also differ by fine detail. */
const ENOUGH_ALONE = 0.25;
/**
 * Fields are woven by fast movement if they differ by more than this multiple of the other side's difference, and by
 * more than LARGE.
 */
const WIDER = 2;
/** Least difference between the two sides' field differences for fast movement, as a part of the movement. */
const LARGE = 0.5;

/** A moving frame of one side. */
export interface OwnWeave {
  readonly frame: number;
  readonly isWoven: boolean;
}

/** A moving frame and the reference's frame that shows the same. */
export interface PairWeave {
  /**
   * Whether the fields of one of the two frames differ by the movement, and those of the other do not or in the
   * opposite way.
   */
  readonly isWoven: boolean;
  /** For each side, how its field difference follows the movement; positive: the top field is first. */
  readonly follows: Readonly<Record<Side, FieldRelation>>;
  /** Slope with the movement of the distorted side's field difference less the reference's. */
  readonly slope: number;
  /** The distorted side's field difference as a multiple of the reference's. */
  readonly wider: number;
  /** The other differences between the two sides' fields, as a multiple of the movement. */
  readonly hidden: number;
}

/** Measurements of a frame's fields. */
interface Woven {
  /** Their difference, and its sum of squares. */
  readonly difference: Levels;
  readonly squares: number;
  /**
   * The movement of the frame, the sum of its products with the difference, and its sum of squares; "still": it does
   * not move; undefined: a neighbour is missing.
   */
  readonly moved: Moved | "still" | undefined;
}

interface Moved {
  readonly levels: Levels;
  readonly product: number;
  readonly squares: number;
}

/** The frames of a side. Each is measured once. */
export class WovenSide {
  readonly #pictures: FieldPictures;
  readonly #height: number;
  readonly #measured = new Map<number, Woven>();

  /** `height` is the number of lines of the side's frames. */
  constructor(pictures: FieldPictures, height: number) {
    this.#pictures = pictures;
    this.#height = height;
  }

  get frames(): readonly number[] {
    return this.#pictures.frames;
  }

  /** The measurements of a frame; undefined: there is no such frame. */
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

  #movementAt(frame: number, difference: Levels): Woven["moved"] {
    const [before, after] = [this.#pictures.rows(frame - 1), this.#pictures.rows(frame + 1)];
    if (before === undefined || after === undefined) return undefined;
    const levels = movement(before, after);
    const squares = productOf(levels, levels);
    if (strength(squares) <= MOVING) return "still";
    return { levels, squares, product: productOf(difference, levels) };
  }
}

export function ownWeaves(side: WovenSide): OwnWeave[] {
  return side.frames.flatMap((frame) => {
    const { squares = 0, moved } = side.at(frame) ?? {};
    if (moved === undefined || moved === "still") return [];
    const { slope, correlation } = relationOf(moved.product, squares, moved.squares);
    return [{ frame, isWoven: Math.abs(correlation) > FOLLOWS && Math.abs(slope) > ENOUGH_ALONE }];
  });
}

/**
 * Measures frames that move, unless the reference stands still: noise moves one side only. `partner` returns the
 * reference's frame that shows the same as a frame of the distorted video; undefined: none.
 */
export function pairWeaves(
  { reference, distorted }: Readonly<Record<Side, WovenSide>>,
  partner: (distorted: number) => number | undefined,
): PairWeave[] {
  return distorted.frames.flatMap((frame) => {
    const [own, other] = [distorted.at(frame), partner(frame)];
    const theirs = other === undefined ? undefined : reference.at(other);
    if (own?.moved === undefined || own.moved === "still") return [];
    return theirs === undefined || theirs.moved === "still" ? [] : [pairWeave(own, own.moved, theirs)];
  });
}

function pairWeave(own: Woven, moved: Moved, theirs: Woven): PairWeave {
  const theirProduct = productOf(theirs.difference, moved.levels);
  const common = productOf(own.difference, theirs.difference);
  // The sum of squares of the two differences' difference, from the products of its terms.
  const apart = Math.max(0, own.squares + theirs.squares - 2 * common);
  const { slope, correlation } = relationOf(moved.product - theirProduct, apart, moved.squares);
  const wider = strength(own.squares) / Math.max(1e-3, strength(theirs.squares));
  const isFollowing = Math.abs(correlation) > FOLLOWS && Math.abs(slope) > ENOUGH;
  // Encodes remove fine detail, which makes the reference's fields differ, but add none.
  const isFar = strength(apart) > LARGE * strength(moved.squares) && wider > WIDER;
  const follows = {
    reference: relationOf(theirProduct, theirs.squares, moved.squares),
    distorted: relationOf(moved.product, own.squares, moved.squares),
  };
  const hidden = strength(apart * (1 - correlation ** 2)) / strength(moved.squares);
  return { isWoven: isFollowing || isFar, follows, slope, wider, hidden };
}
