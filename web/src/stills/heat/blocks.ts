/** The luma difference of two pictures, block by block. */
import type { Point, Size } from "../viewport.ts";

/** Width and height of a block in pixels; blocks at the right and lower edge can be smaller. */
export const BLOCK = 16;

/** RGB of 8 bits and alpha, row by row. */
export interface Pixels extends Size {
  readonly data: Uint8ClampedArray;
}

/** Values are mean absolute differences of luma, in code values from 0 to 255. */
export interface BlockMap {
  readonly columns: number;
  readonly rows: number;
  /** Value of each block, row by row. */
  readonly values: Float64Array;
  /** Mean of all pixels. */
  readonly mean: number;
  /** Index of the block with the largest value; the first of equal ones. */
  readonly worst: number;
}

/** Weights of red, green and blue: BT.709. */
const [RED, GREEN, BLUE] = [0.2126, 0.7152, 0.0722];

/** Compares two pictures of the same size. */
export function blockDifferences(one: Pixels, other: Pixels): BlockMap {
  const { width, height } = one;
  if (width !== other.width || height !== other.height)
    throw new RangeError(`pictures of ${width}x${height} and ${other.width}x${other.height} were compared`);
  const [columns, rows] = [Math.ceil(width / BLOCK), Math.ceil(height / BLOCK)];
  const values = new Float64Array(columns * rows);
  let at = 0;
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / BLOCK) * columns;
    for (let x = 0; x < width; x++, at += 4) {
      const block = row + Math.floor(x / BLOCK);
      values[block] = (values[block] ?? 0) + lumaDifference(one.data, other.data, at);
    }
  }
  let [sum, worst] = [0, 0];
  for (const [index, total] of values.entries()) {
    sum += total;
    const box = boxOf(index, columns, one);
    values[index] = total / (box.width * box.height);
    if ((values[index] ?? 0) > (values[worst] ?? 0)) worst = index;
  }
  return { columns, rows, values, mean: sum / (width * height), worst };
}

function lumaDifference(one: Uint8ClampedArray, other: Uint8ClampedArray, at: number): number {
  const by = (channel: number) => (one[at + channel] ?? 0) - (other[at + channel] ?? 0);
  return Math.abs(RED * by(0) + GREEN * by(1) + BLUE * by(2));
}

/** Place and size of a block in a picture. */
export function boxOf(index: number, columns: number, { width, height }: Size): Point & Size {
  const [x, y] = [(index % columns) * BLOCK, Math.floor(index / columns) * BLOCK];
  return { x, y, width: Math.min(BLOCK, width - x), height: Math.min(BLOCK, height - y) };
}

/** Index of the block at a point of the picture; undefined outside. */
export function blockAt({ x, y }: Point, columns: number, { width, height }: Size): number | undefined {
  if (!(x >= 0 && x < width && y >= 0 && y < height)) return undefined;
  return Math.floor(y / BLOCK) * columns + Math.floor(x / BLOCK);
}

/** Returns the index of the block that is some columns and rows away, but not beyond the edge. */
export function blockBeside(
  index: number,
  [right, down]: readonly [number, number],
  { columns, rows }: BlockMap,
): number {
  const column = Math.min(columns - 1, Math.max(0, (index % columns) + right));
  const row = Math.min(rows - 1, Math.max(0, Math.floor(index / columns) + down));
  return row * columns + column;
}
