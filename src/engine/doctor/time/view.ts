/** Maps the reference's picture to the distorted one, which may be mirrored, cropped or have bars. */
import { LUMA } from "../../media/pictures.ts";
import type { AxisMap } from "../space/view.ts";

/** `x` and `y` map the reference's picture to the distorted one as decoded. A negative scale mirrors. */
export interface View {
  readonly x: AxisMap;
  readonly y: AxisMap;
}

const SAME: AxisMap = { scale: 1, shift: 0 };
const FLIPPED: AxisMap = { scale: -1, shift: 1 };
/** Both sides show the same picture area. */
export const IDENTITY: View = { x: SAME, y: SAME };
export const MIRRORED_HORIZONTALLY: View = { x: FLIPPED, y: SAME };
export const MIRRORED_VERTICALLY: View = { x: SAME, y: FLIPPED };

/** The reference's samples that both sides show: from `left` to `right` − 1 and from `top` to `bottom` − 1. */
export interface CommonArea {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The area that both sides show. Its bounds are even, so that cells of 2 × 2 samples fill it. */
export function commonArea({ x, y }: View): CommonArea {
  const [left, right] = commonSamples(x, LUMA.width);
  const [top, bottom] = commonSamples(y, LUMA.height);
  return { left, right, top, bottom };
}

function commonSamples({ scale, shift }: AxisMap, size: number): readonly [number, number] {
  const ends = [-shift / scale, (1 - shift) / scale];
  const first = Math.max(0, Math.min(...ends)) * size;
  const end = Math.min(1, Math.max(...ends)) * size;
  return [2 * Math.ceil(first / 2 - 0.01), Math.max(0, 2 * Math.floor(end / 2 + 0.01))];
}

/** Draws distorted pictures in the reference's geometry, with bilinear interpolation. */
export class Lens {
  readonly #columns: Taps;
  readonly #rows: Taps;
  readonly #drawn = new Uint8Array(LUMA.width * LUMA.height);

  constructor({ x, y }: View) {
    this.#columns = tapsOf(x, LUMA.width);
    this.#rows = tapsOf(y, LUMA.height);
  }

  /** Returns a picture that the next call overwrites. Places outside the distorted picture repeat its edge. */
  draw(luma: Uint8Array): Uint8Array {
    const { width, height } = LUMA;
    const columns = this.#columns;
    for (let row = 0; row < height; row++) {
      const above = (this.#rows.first[row] as number) * width;
      const below = (this.#rows.second[row] as number) * width;
      const down = this.#rows.part[row] as number;
      for (let column = 0; column < width; column++) {
        const left = columns.first[column] as number;
        const right = columns.second[column] as number;
        const part = columns.part[column] as number;
        const upper = (luma[above + left] as number) * (1 - part) + (luma[above + right] as number) * part;
        const lower = (luma[below + left] as number) * (1 - part) + (luma[below + right] as number) * part;
        this.#drawn[row * width + column] = upper * (1 - down) + lower * down + 0.5;
      }
    }
    return this.#drawn;
  }
}

/** For each sample of an axis, the two samples between which it lies and the weight of the second. */
interface Taps {
  readonly first: Uint16Array;
  readonly second: Uint16Array;
  readonly part: Float64Array;
}

function tapsOf({ scale, shift }: AxisMap, size: number): Taps {
  const taps = { first: new Uint16Array(size), second: new Uint16Array(size), part: new Float64Array(size) };
  for (let index = 0; index < size; index++) {
    const place = scale * (index + 0.5) + shift * size - 0.5;
    const clamped = Math.min(Math.max(place, 0), size - 1);
    taps.first[index] = Math.floor(clamped);
    taps.second[index] = Math.min(Math.floor(clamped) + 1, size - 1);
    taps.part[index] = clamped - Math.floor(clamped);
  }
  return taps;
}
