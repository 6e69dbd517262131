/** Guesses the view and the offset of two videos before it is known which picture area each shows. */
import { LUMA, type Pictures } from "../../media/pictures.ts";
import { commonArea, Lens, type View } from "./view.ts";

/** Width and height of a cell, in samples. At this size, pictures are alike even if one is slightly cropped. */
const POOL = 8;
const COLUMNS = LUMA.width / POOL;
const ROWS = LUMA.height / POOL;
/** Number of reference frames that are compared, about. */
const SAMPLE = 64;

export interface CrudeMatch {
  readonly view: View;
  /** Frame `offset + n` of the distorted video looks most like the reference's frame n. */
  readonly offset: number;
  /** Mean correlation of the blurred pictures at this offset, −1 to 1. */
  readonly score: number;
}

/**
 * Returns the best offset from −limit to limit under each view, the best view first. In slow content the offset is
 * uncertain, but the score is not.
 */
export function crudeMatch(
  reference: Pictures,
  distorted: Pictures,
  { views, limit }: { views: readonly View[]; limit: number },
): CrudeMatch[] {
  const matches = views.map((view) => {
    const lens = new Lens(view);
    const cells = cellsWithin(view);
    const a = blurred(reference, cells, (luma) => luma);
    const b = blurred(distorted, cells, (luma) => lens.draw(luma));
    return { view, ...bestOffset(a, b, limit) };
  });
  return matches.sort((one, other) => other.score - one.score);
}

/** Numbers of the cells inside the area that both sides show. */
function cellsWithin(view: View): number[] {
  const { left, right, top, bottom } = commonArea(view);
  return Array.from({ length: COLUMNS * ROWS }, (_, cell) => cell).filter((cell) => {
    const [x, y] = [(cell % COLUMNS) * POOL, Math.floor(cell / COLUMNS) * POOL];
    return x >= left && x + POOL <= right && y >= top && y + POOL <= bottom;
  });
}

interface Blurred {
  readonly count: number;
  readonly size: number;
  /** `size` values for each frame, normalized to a mean of 0 and a length of 1. */
  readonly values: Float32Array;
}

function blurred(
  pictures: Pictures,
  cells: readonly number[],
  look: (luma: Uint8Array) => Uint8Array,
): Blurred {
  const size = cells.length;
  const values = new Float32Array(pictures.count * size);
  for (let frame = 0; frame < pictures.count; frame++) {
    const luma = look(pictures.luma(frame));
    const own = values.subarray(frame * size, (frame + 1) * size);
    for (const [index, cell] of cells.entries()) own[index] = levelOf(luma, cell);
    normalize(own);
  }
  return { count: pictures.count, size, values };
}

/** Sums every second sample of every second row of a cell. */
function levelOf(luma: Uint8Array, cell: number): number {
  const start = Math.floor(cell / COLUMNS) * POOL * LUMA.width + (cell % COLUMNS) * POOL;
  let sum = 0;
  for (let row = 0; row < POOL; row += 2)
    for (let column = 0; column < POOL; column += 2) sum += luma[start + row * LUMA.width + column] as number;
  return sum;
}

function normalize(values: Float32Array): void {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const length = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0));
  for (let index = 0; index < values.length; index++)
    values[index] = length > 0 ? ((values[index] as number) - mean) / length : 0;
}

function bestOffset(a: Blurred, b: Blurred, limit: number): { offset: number; score: number } {
  const step = Math.max(1, Math.floor(a.count / SAMPLE));
  let best = { offset: 0, score: meanCorrelation(a, b, 0, step) };
  for (let distance = 1; distance <= limit; distance++)
    for (const offset of [-distance, distance]) {
      const score = meanCorrelation(a, b, offset, step);
      if (score > best.score) best = { offset, score };
    }
  return best;
}

/** Mean correlation of the sampled frames at an offset; −1 if fewer than half of them have a counterpart. */
function meanCorrelation(a: Blurred, b: Blurred, offset: number, step: number): number {
  let [sum, pairs] = [0, 0];
  for (let row = 0; row < a.count; row += step) {
    const column = row + offset;
    if (column < 0 || column >= b.count) continue;
    let cross = 0;
    for (let i = row * a.size, j = column * b.size, end = i + a.size; i < end; i++, j++)
      cross += (a.values[i] as number) * (b.values[j] as number);
    sum += cross;
    pairs++;
  }
  return 2 * pairs * step < Math.min(a.count, b.count) || pairs === 0 ? -1 : sum / pairs;
}
