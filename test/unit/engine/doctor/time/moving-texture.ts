/** Generates test pictures from a seed: a texture that moves a little from frame to frame. */

import { Random } from "../../../../../src/engine/estimate/random.ts";
import { LUMA, PICTURE_BYTES, Pictures } from "../../../../../src/engine/media/pictures.ts";

/** Samples that the texture moves to the right per frame. */
const SPEED = 0.75;
const SIZE = 512;
/** Random numbers that are used repeatedly, from different positions. */
const NOISES = 65_521;

export interface Treatment {
  /** Largest noise added to a sample, in levels. */
  readonly noise?: number;
  readonly seed?: number;
  readonly mirror?: boolean;
}

/** Pictures of the given moments of a scene. Equal moments differ only by noise. */
export function picturesOf(
  scene: number,
  moments: readonly number[],
  { noise = 3, seed = 1, mirror = false }: Treatment = {},
): Pictures {
  const texture = textureOf(scene);
  const noises = noisesOf(1000 * scene + seed);
  const bytes = new Uint8Array(moments.length * PICTURE_BYTES).fill(128);
  for (const [index, moment] of moments.entries()) {
    const shift = SPEED * moment;
    const part = shift - Math.floor(shift);
    const firstNoise = 7919 * index;
    for (let row = 0; row < LUMA.height; row++)
      for (let column = 0; column < LUMA.width; column++) {
        const x = mirror ? LUMA.width - 1 - column : column;
        const start = row * SIZE;
        const left = texture[start + ((x + Math.floor(shift)) % SIZE)] as number;
        const right = texture[start + ((x + Math.floor(shift) + 1) % SIZE)] as number;
        const level =
          left * (1 - part) +
          right * part +
          noise * (noises[(firstNoise + row * LUMA.width + column) % NOISES] as number);
        bytes[index * PICTURE_BYTES + row * LUMA.width + column] = Math.min(255, Math.max(0, level));
      }
  }
  return new Pictures(bytes);
}

/** From −1 to 1. */
function noisesOf(seed: number): Float64Array {
  const random = Random.ofSeed(seed);
  return Float64Array.from({ length: NOISES }, () => 2 * uniform(random) - 1);
}

/** Numbers from `first` to `first` + `count` − 1. */
export function span(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Blots of several sizes, levels 40 to 216. */
function textureOf(scene: number): Float64Array {
  const random = Random.ofSeed(scene);
  const texture = new Float64Array(SIZE * LUMA.height).fill(128);
  for (let blot = 0; blot < 900; blot++) {
    const [width, height] = [3 + Math.floor(uniform(random) * 14), 3 + Math.floor(uniform(random) * 14)];
    const [x, y] = [Math.floor(uniform(random) * SIZE), Math.floor(uniform(random) * LUMA.height)];
    const level = 40 + uniform(random) * 176;
    for (let row = y; row < Math.min(y + height, LUMA.height); row++)
      for (let column = x; column < x + width; column++) texture[row * SIZE + (column % SIZE)] = level;
  }
  return texture;
}

/** 0 to 1. */
function uniform(random: Random): number {
  return random.next() / 2 ** 32;
}
