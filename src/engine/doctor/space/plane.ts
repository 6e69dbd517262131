/** Planes of samples, and what is done with them. */
import { LUMA, type Pictures } from "../../media/pictures.ts";

/** One component of a frame: samples row by row. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

/** Makes a plane of stored samples. Throws RangeError if there are not width × height of them. */
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
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) out[x * height + y] = data[y * width + x] as number;
  }
  return { width: height, height: width, data: out };
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

/** Averages blocks of `columns` × `rows` samples; samples beyond the last whole block are left out. */
export function shrink({ width, height, data }: Plane, columns: number, rows: number): Plane {
  const [w, h] = [Math.floor(width / columns), Math.floor(height / rows)];
  const out = new Float32Array(w * h);
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      let sum = 0;
      for (let j = 0; j < rows; j++) {
        const start = (y * rows + j) * width + x * columns;
        for (let i = 0; i < columns; i++) sum += data[start + i] as number;
      }
      out[y * w + x] = sum / (columns * rows);
    }
  }
  return { width: w, height: h, data: out };
}

/** Averages over squares of 2 × radius + 1 samples; samples at the borders are repeated beyond them. */
export function blur(source: Plane, radius: number): Plane {
  return transpose(blurRows(transpose(blurRows(source, radius)), radius));
}

function blurRows({ width, height, data }: Plane, radius: number): Plane {
  const out = new Float32Array(data.length);
  const last = width - 1;
  for (let y = 0; y < height; y++) {
    const row = y * width;
    let sum = 0;
    for (let k = -radius; k <= radius; k++) sum += data[row + Math.min(last, Math.max(0, k))] as number;
    for (let x = 0; x < width; x++) {
      out[row + x] = sum / (2 * radius + 1);
      const enters = data[row + Math.min(last, x + radius + 1)] as number;
      sum += enters - (data[row + Math.max(0, x - radius)] as number);
    }
  }
  return { width, height, data: out };
}
