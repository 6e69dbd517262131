/** Local contrast of pictures: what remains after the brightness and contrast around each place are removed. */
import { LUMA, type Pictures } from "../../media/pictures.ts";
import { type CommonArea, commonArea, IDENTITY, Lens, type View } from "./view.ts";

/** Width and height of a cell, in samples. */
const POOL = 2;
/** Cells on each side of a cell that count as its surroundings. The box of 7 cells has 14 samples. */
const RADIUS = 3;
/** Standard deviation, in 8-bit levels, below which contrast is noise: rounding, banding, faint grain. Empirical. */
const FLOOR = 2;
/** Stored values are whole multiples of 1/32 standard deviation, limited to ±127. */
export const UNIT = 32;

/** Local contrast of consecutive pictures: `cells` values for each picture in turn. */
export interface Features {
  readonly count: number;
  readonly cells: number;
  readonly values: Int8Array;
}

/** Features of the reference, inside the area that the distorted pictures show. */
export function referenceFeatures(pictures: Pictures, view: View = IDENTITY): Features {
  return featuresOf(pictures, commonArea(view), (luma) => luma);
}

/** Features of the distorted pictures, at the places of the reference's. */
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
  /** Sums over all cells above and to the left. A row and a column of zeros precede them. */
  readonly #sums: Int32Array;
  readonly #squares: Int32Array;
  readonly #stripSums: Int32Array;
  readonly #stripSquares: Int32Array;

  constructor(area: CommonArea) {
    this.#area = area;
    this.#columns = Math.max(0, (area.right - area.left) / POOL);
    this.#rows = Math.max(0, (area.bottom - area.top) / POOL);
    this.cells = this.#columns * this.#rows;
    this.#pooled = new Int32Array(this.cells);
    this.#sums = new Int32Array((this.#columns + 1) * (this.#rows + 1));
    this.#squares = new Int32Array((this.#columns + 1) * (this.#rows + 1));
    this.#stripSums = new Int32Array(this.#columns + 1);
    this.#stripSquares = new Int32Array(this.#columns + 1);
  }

  measure(luma: Uint8Array, into: Int8Array): void {
    this.#sum(luma);
    const columns = this.#columns;
    for (let row = 0; row < this.#rows; row++) {
      const first = Math.max(row - RADIUS, 0);
      const end = Math.min(row + RADIUS + 1, this.#rows);
      between(this.#sums, first, end, this.#stripSums);
      between(this.#squares, first, end, this.#stripSquares);
      const strip = { high: end - first, sums: this.#stripSums, squares: this.#stripSquares };
      const own = this.#pooled.subarray(row * columns, (row + 1) * columns);
      contrastOf(own, strip, into.subarray(row * columns, (row + 1) * columns));
    }
  }

  /** Fills the sums. Those of squares of 240 × 136 samples of 8 bits stay below 2^31. */
  #sum(luma: Uint8Array): void {
    const columns = this.#columns;
    const { left, top } = this.#area;
    for (let row = 0; row < this.#rows; row++) {
      const place = (top + POOL * row) * LUMA.width + left;
      const rows = luma.subarray(place, place + LUMA.width + POOL * columns);
      poolRow(
        rows,
        this.#pooled.subarray(row * columns, (row + 1) * columns),
        this.#sums.subarray(row * (columns + 1), (row + 2) * (columns + 1)),
        this.#squares.subarray(row * (columns + 1), (row + 2) * (columns + 1)),
      );
    }
  }
}

/**
 * Pools two rows of samples and adds their sums to those of the rows above. `sums` and `squares` have two rows each;
 * the first is read and the second is filled. Each row is handled in a function of its own, because Node.js optimizes
 * a function after a few calls.
 */
function poolRow(luma: Uint8Array, pool: Int32Array, sums: Int32Array, squares: Int32Array): void {
  const next = pool.length + 1;
  let sum = 0;
  let square = 0;
  for (let column = 0; column < pool.length; column++) {
    const place = POOL * column;
    const a = luma[place] as number;
    const b = luma[place + 1] as number;
    const c = luma[place + LUMA.width] as number;
    const d = luma[place + LUMA.width + 1] as number;
    const pooled = a + b + c + d;
    pool[column] = pooled;
    sum += pooled;
    square += a * a + b * b + c * c + d * d;
    sums[next + column + 1] = (sums[column + 1] as number) + sum;
    squares[next + column + 1] = (squares[column + 1] as number) + square;
  }
}

/** The sums over the rows from `first` to `end` − 1 and all columns to the left. */
function between(sums: Int32Array, first: number, end: number, out: Int32Array): void {
  const [above, below] = [first * out.length, end * out.length];
  for (let column = 0; column < out.length; column++)
    out[column] = (sums[below + column] as number) - (sums[above + column] as number);
}

/** The surroundings of a row of cells: `high` rows, with sums over all columns to the left. */
interface Strip {
  readonly high: number;
  readonly sums: Int32Array;
  readonly squares: Int32Array;
}

function contrastOf(pooled: Int32Array, { high, sums, squares }: Strip, into: Int8Array): void {
  const columns = pooled.length;
  for (let column = 0; column < columns; column++) {
    const left = column > RADIUS ? column - RADIUS : 0;
    const right = column + RADIUS < columns ? column + RADIUS + 1 : columns;
    const samples = high * (right - left) * POOL * POOL;
    const mean = ((sums[right] as number) - (sums[left] as number)) / samples;
    const variance = ((squares[right] as number) - (squares[left] as number)) / samples - mean * mean;
    const above = (pooled[column] as number) / (POOL * POOL) - mean;
    const scaled = (UNIT * above) / Math.sqrt(variance + FLOOR * FLOOR);
    // Without branches, because the processor could not predict them.
    into[column] = Math.max(-127, Math.min(127, Math.floor(scaled + 0.5)));
  }
}
