/**
 * Measures how the two fields of a frame differ. In a progressive frame both show the same moment. In an interlaced
 * frame they differ by the movement, about half as much as the previous and the next frame do. Neighbouring lines
 * also differ where nothing moves, so both sides' frames are compared.
 */
import type { Side } from "../../contract/request.ts";
import type { FieldPictures } from "../../media/pictures.ts";
import { LUMA } from "../../media/pictures.ts";

export type BothFields = Readonly<Record<Side, FieldPictures>>;

/** Every second sample of a row is measured. */
const STEP = 2;
const COLUMNS = LUMA.width / STEP;
/** The first and the last row have no neighbour for interpolation. */
const ROWS = LUMA.height - 2;

/** Values in levels, one for each measured place of a frame. */
export type Levels = Float32Array;

/** How one set of levels follows another. */
export interface FieldRelation {
  /** Levels of the first for one level of the other. */
  readonly slope: number;
  /** −1 to 1. */
  readonly correlation: number;
}

/**
 * The difference of a frame's bottom field from its top field, which is interpolated to the lines of the bottom
 * field.
 */
export function fieldDifference(rows: Uint8Array, height: number): Levels {
  // Distance between two lines of the frame, in rows of a small picture.
  const between = LUMA.height / height;
  const out = new Float32Array(COLUMNS * ROWS);
  let at = 0;
  for (let y = 1; y <= ROWS; y++) {
    const top = 2 * y * LUMA.width;
    for (let x = 0; x < LUMA.width; x += STEP) {
      const own = rows[top + x] as number;
      const below = rows[top + 2 * LUMA.width + x] as number;
      const above = rows[top - 2 * LUMA.width + x] as number;
      const slope = between < 0.5 ? (below - above) / 2 : below - own;
      out[at++] = (rows[top + LUMA.width + x] as number) - own - between * slope;
    }
  }
  return out;
}

/** Half the change of the top field from the frame before to the frame after. */
export function movement(before: Uint8Array, after: Uint8Array): Levels {
  const out = new Float32Array(COLUMNS * ROWS);
  let at = 0;
  for (let y = 1; y <= ROWS; y++) {
    const top = 2 * y * LUMA.width;
    for (let x = 0; x < LUMA.width; x += STEP)
      out[at++] = ((after[top + x] as number) - (before[top + x] as number)) / 2;
  }
  return out;
}

/** The root mean square of levels, from the sum of their squares. */
export function strength(squares: number): number {
  return Math.sqrt(Math.max(0, squares) / (COLUMNS * ROWS));
}

/** How levels follow others, from the sum of their products, of their own squares and of the others' squares. */
export function relationOf(common: number, own: number, other: number): FieldRelation {
  return {
    slope: other > 0 ? common / other : 0,
    correlation: own > 0 && other > 0 ? common / Math.sqrt(own * other) : 0,
  };
}
