/** Planes of samples, and operations on them. */
import type { Area } from "../../contract/picture.ts";
import { LUMA, type Pictures } from "../../media/pictures.ts";

/** One component of a frame, row by row. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

/** Makes a plane from stored samples. Throws RangeError if their number is not width × height. */
export function plane(samples: ArrayLike<number>, width: number, height: number): Plane {
  if (samples.length !== width * height) {
    throw new RangeError(`${samples.length} samples do not fill ${width}×${height}`);
  }
  return { width, height, data: new Float32Array(samples) };
}

/** The luma of the picture with this index. */
export function lumaPlane(pictures: Pictures, index: number): Plane {
  return plane(pictures.luma(index), LUMA.width, LUMA.height);
}

/** Exchanges rows and columns. */
export function transpose({ width, height, data }: Plane): Plane {
  const out = new Float32Array(data.length);
  for (let y = 0; y < height; y++) toColumn(data.subarray(y * width, (y + 1) * width), out, y, height);
  return { width: height, height: width, data: out };
}

function toColumn(row: Float32Array, out: Float32Array, first: number, step: number): void {
  for (let x = 0; x < row.length; x++) out[first + x * step] = row[x] as number;
}

export function mirror({ width, height, data }: Plane, { x, y }: { x: boolean; y: boolean }): Plane {
  const out = new Float32Array(data.length);
  for (let row = 0; row < height; row++) {
    const from = (y ? height - 1 - row : row) * width;
    const to = row * width;
    for (let column = 0; column < width; column++) {
      out[to + column] = data[from + (x ? width - 1 - column : column)] as number;
    }
  }
  return { width, height, data: out };
}

/** Copies an area of a plane. */
export function crop({ width, data }: Plane, area: Area): Plane {
  const out = new Float32Array(area.width * area.height);
  for (let row = 0; row < area.height; row++) {
    const start = (area.y + row) * width + area.x;
    out.set(data.subarray(start, start + area.width), row * area.width);
  }
  return { width: area.width, height: area.height, data: out };
}

/** Averages blocks of `columns` × `rows` samples; samples beyond the last whole block are left out. */
export function shrink({ width, height, data }: Plane, columns: number, rows: number): Plane {
  const [w, h] = [Math.floor(width / columns), Math.floor(height / rows)];
  const out = new Float32Array(w * h);
  for (let y = 0; y < h; y++) {
    const strip = data.subarray(y * rows * width, (y + 1) * rows * width);
    averageBlocks(strip, out.subarray(y * w, (y + 1) * w), columns, rows);
  }
  return { width: w, height: h, data: out };
}

/**
 * Averages a row of blocks. This loop is a function of its own, like other loops over rows: Node.js optimizes a
 * function after a few calls, but code nested in a longer loop only after that loop has ended.
 */
function averageBlocks(strip: Float32Array, out: Float32Array, columns: number, rows: number): void {
  const width = strip.length / rows;
  for (let x = 0; x < out.length; x++) {
    let sum = 0;
    for (let j = 0; j < rows; j++) {
      const start = j * width + x * columns;
      for (let i = 0; i < columns; i++) sum += strip[start + i] as number;
    }
    out[x] = sum / (columns * rows);
  }
}

/** Averages over squares of 2 × radius + 1 samples. Beyond its edges, the plane repeats its outermost samples. */
export function blur(source: Plane, radius: number): Plane {
  return transpose(blurRows(transpose(blurRows(source, radius)), radius));
}

function blurRows({ width, height, data }: Plane, radius: number): Plane {
  const out = new Float32Array(data.length);
  for (let start = 0; start < data.length; start += width)
    blurRow(data.subarray(start, start + width), radius, out.subarray(start, start + width));
  return { width, height, data: out };
}

function blurRow(row: Float32Array, radius: number, out: Float32Array): void {
  const last = row.length - 1;
  let sum = 0;
  for (let k = -radius; k <= radius; k++) sum += row[Math.min(last, Math.max(0, k))] as number;
  for (let x = 0; x <= last; x++) {
    out[x] = sum / (2 * radius + 1);
    const enters = row[Math.min(last, x + radius + 1)] as number;
    sum += enters - (row[Math.max(0, x - radius)] as number);
  }
}
