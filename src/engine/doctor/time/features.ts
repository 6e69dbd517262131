/** Local contrast of pictures: what is left of a picture when brightness and contrast around each place are taken away. */
import { LUMA, type Pictures } from "../../media/pictures.ts";
import { type CommonArea, commonArea, IDENTITY, Lens, type View } from "./view.ts";

/** Samples along each edge of a cell. */
const POOL = 2;
/** Cells on each side of a cell that count as its surroundings: a box of 7 cells is 14 samples. */
const RADIUS = 3;
/** Standard deviation, in levels of 8 bits, below which contrast is noise: rounding, banding, faint grain. */
const FLOOR = 2;
/** Stored values are whole numbers of 1/32 standard deviation, limited to ±127. */
export const UNIT = 32;

/** Local contrast of consecutive pictures: `cells` values per picture, one after another. */
export interface Features {
  readonly count: number;
  readonly cells: number;
  readonly values: Int8Array;
}

/** Features of the reference, within what the distorted pictures show of it. */
export function referenceFeatures(pictures: Pictures, view: View = IDENTITY): Features {
  return featuresOf(pictures, commonArea(view), (luma) => luma);
}

/** Features of the distorted pictures, at the reference's places. */
export function distortedFeatures(pictures: Pictures, view: View = IDENTITY): Features {
  if (view === IDENTITY) return referenceFeatures(pictures);
  const lens = new Lens(view);
  return featuresOf(pictures, commonArea(view), (luma) => lens.draw(luma));
}

function featuresOf(pictures: Pictures, area: CommonArea, look: (luma: Uint8Array) => Uint8Array): Features {
  const contrast = new LocalContrast(area);
  const { cells } = contrast;
  const values = new Int8Array(pictures.count * cells);
  for (let index = 0; index < pictures.count; index++)
    contrast.measure(look(pictures.luma(index)), values.subarray(index * cells, (index + 1) * cells));
  return { count: pictures.count, cells, values };
}

class LocalContrast {
  readonly cells: number;
  readonly #area: CommonArea;
  readonly #columns: number;
  readonly #rows: number;
  readonly #pooled: Int32Array;
  /** Sums over all cells above and to the left, with a row and a column of zeros before them. */
  readonly #sums: Int32Array;
  readonly #squares: Int32Array;

  constructor(area: CommonArea) {
    this.#area = area;
    this.#columns = Math.max(0, (area.right - area.left) / POOL);
    this.#rows = Math.max(0, (area.bottom - area.top) / POOL);
    this.cells = this.#columns * this.#rows;
    this.#pooled = new Int32Array(this.cells);
    this.#sums = new Int32Array((this.#columns + 1) * (this.#rows + 1));
    this.#squares = new Int32Array((this.#columns + 1) * (this.#rows + 1));
  }

  measure(luma: Uint8Array, into: Int8Array): void {
    this.#sum(luma);
    const columns = this.#columns;
    const pooled = this.#pooled;
    const sums = this.#sums;
    const squares = this.#squares;
    for (let row = 0; row < this.#rows; row++) {
      const top = Math.max(row - RADIUS, 0) * (columns + 1);
      const bottom = Math.min(row + RADIUS + 1, this.#rows) * (columns + 1);
      const high = (bottom - top) / (columns + 1);
      for (let column = 0; column < columns; column++) {
        const left = column > RADIUS ? column - RADIUS : 0;
        const right = column + RADIUS < columns ? column + RADIUS + 1 : columns;
        const samples = high * (right - left) * POOL * POOL;
        const mean = boxOf(sums, top, bottom, left, right) / samples;
        const variance = boxOf(squares, top, bottom, left, right) / samples - mean * mean;
        const cell = row * columns + column;
        const above = (pooled[cell] as number) / (POOL * POOL) - mean;
        const scaled = (UNIT * above) / Math.sqrt(variance + FLOOR * FLOOR);
        into[cell] = scaled > 127 ? 127 : scaled < -127 ? -127 : Math.round(scaled);
      }
    }
  }

  /** Fills the sums; squares of 240 × 136 samples of 8 bits stay below 2^31. */
  #sum(luma: Uint8Array): void {
    const columns = this.#columns;
    const pool = this.#pooled;
    const sums = this.#sums;
    const squares = this.#squares;
    const { left, top } = this.#area;
    for (let row = 0; row < this.#rows; row++) {
      let sum = 0;
      let square = 0;
      for (let column = 0; column < columns; column++) {
        const place = (top + POOL * row) * LUMA.width + left + POOL * column;
        const a = luma[place] as number;
        const b = luma[place + 1] as number;
        const c = luma[place + LUMA.width] as number;
        const d = luma[place + LUMA.width + 1] as number;
        const pooled = a + b + c + d;
        pool[row * columns + column] = pooled;
        sum += pooled;
        square += a * a + b * b + c * c + d * d;
        const above = row * (columns + 1) + column + 1;
        sums[above + columns + 1] = (sums[above] as number) + sum;
        squares[above + columns + 1] = (squares[above] as number) + square;
      }
    }
  }
}

function boxOf(sums: Int32Array, top: number, bottom: number, left: number, right: number): number {
  return (
    (sums[bottom + right] as number) -
    (sums[top + right] as number) -
    (sums[bottom + left] as number) +
    (sums[top + left] as number)
  );
}
