/** Generates scenes from a seed: functions of the position in the frame (0 to 1), so that any crop of them is exact. */

import type { Plane } from "../../../../src/engine/doctor/space/plane.ts";
import { CHROMA, LUMA, PICTURE_BYTES, Pictures } from "../../../../src/engine/media/pictures.ts";
import { random } from "../../random.ts";

export type Scene = (x: number, y: number) => number;

/** Waves of many directions and lengths, from 40 to 210 levels. */
export function waves(seed: number): Scene {
  const next = random(seed);
  const parts = Array.from({ length: 10 }, (_, index) => ({
    x: (next() - 0.5) * 8 * (1 + 2 * index),
    y: (next() - 0.5) * 5 * (1 + 2 * index),
    phase: next() * 2 * Math.PI,
    size: 60 / (1 + index / 2),
  }));
  return (x, y) => {
    let sum = 125;
    for (const part of parts)
      sum += part.size * Math.cos(2 * Math.PI * (part.x * x + part.y * y) + part.phase);
    return Math.min(210, Math.max(40, sum));
  };
}

/** Samples a scene. */
export function sampled(scene: Scene, width: number, height: number): Plane {
  const data = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) data[y * width + x] = scene((x + 0.5) / width, (y + 0.5) / height);
  }
  return { width, height, data };
}

/** Samples a scene at the size of a picture. */
export function picture(scene: Scene): Plane {
  return sampled(scene, LUMA.width, LUMA.height);
}

/** Adds noise of this many levels to a plane, by seed. */
export function noisy({ width, height, data }: Plane, level: number, seed: number): Plane {
  const next = random(seed);
  return { width, height, data: data.map((value) => value + 2 * level * (next() - 0.5)) };
}

/** Pictures of frames; each gives luma and both chroma. */
export function pictures(frames: readonly { y: Scene; u: Scene; v: Scene }[]): Pictures {
  const bytes = new Uint8Array(PICTURE_BYTES * frames.length);
  let at = 0;
  const put = ({ data }: Plane) => {
    for (const value of data) bytes[at++] = Math.min(255, Math.max(0, Math.round(value)));
  };
  for (const { y, u, v } of frames) {
    put(sampled(y, LUMA.width, LUMA.height));
    put(sampled(u, CHROMA.width, CHROMA.height));
    put(sampled(v, CHROMA.width, CHROMA.height));
  }
  return new Pictures(bytes);
}
