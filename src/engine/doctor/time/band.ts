/** Values for pairs of frames whose offset lies within a band. Each frame of the reference has a row. */
import type { SignaturePair, Signatures } from "./signatures.ts";

/** Frame n of the reference is paired with frame n + `lowest` … n + `lowest` + `width` − 1 of the distorted video. */
export interface BandShape {
  readonly lowest: number;
  readonly width: number;
}

export interface Band extends BandShape {
  readonly rows: number;
  /** Frames of the distorted video. */
  readonly columns: number;
  /** `width` values for each row; NaN where the distorted video has no such frame. */
  readonly values: Float32Array;
}

export function emptyBand(shape: BandShape, rows: number, columns: number): Band {
  return { ...shape, rows, columns, values: new Float32Array(rows * shape.width).fill(Number.NaN) };
}

/** The value of a pair of frames; NaN outside the band. */
export function valueAt(band: Band, row: number, offset: number): number {
  const index = offset - band.lowest;
  if (index < 0 || index >= band.width || row < 0 || row >= band.rows) return Number.NaN;
  return band.values[row * band.width + index] as number;
}

/** The offsets at which a row has a counterpart, as indexes of the row's values from `first` to `end` − 1. */
export function counterparts(band: Band, row: number): { readonly first: number; readonly end: number } {
  const first = Math.max(0, -(row + band.lowest));
  return { first, end: Math.max(first, Math.min(band.width, band.columns - row - band.lowest)) };
}

/** Scalar products of both sides' signatures. */
export function productsOf({ reference, distorted }: SignaturePair, shape: BandShape): Band {
  const band = emptyBand(shape, reference.count, distorted.count);
  for (let row = 0; row < band.rows; row++) {
    const { first, end } = counterparts(band, row);
    for (let index = first; index < end; index++)
      band.values[row * band.width + index] = product(reference, row, distorted, row + band.lowest + index);
  }
  return band;
}

/**
 * Scalar product of two frames' signatures. It uses four sums, because each addition has to wait for the previous one
 * to the same sum.
 */
export function product(left: Signatures, row: number, right: Signatures, column: number): number {
  const { size, values: a } = left;
  const b = right.values;
  let i = row * size;
  let j = column * size;
  const end = i + size - 3;
  let s = 0;
  let t = 0;
  let u = 0;
  let v = 0;
  for (; i < end; i += 4, j += 4) {
    s += (a[i] as number) * (b[j] as number);
    t += (a[i + 1] as number) * (b[j + 1] as number);
    u += (a[i + 2] as number) * (b[j + 2] as number);
    v += (a[i + 3] as number) * (b[j + 3] as number);
  }
  for (; i < end + 3; i++, j++) s += (a[i] as number) * (b[j] as number);
  return s + t + u + v;
}
