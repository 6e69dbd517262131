/** Finds scenes that are black where bars cover them. */
import { open } from "node:fs/promises";
import type { Size } from "./contents.ts";
import type { Area } from "./truth.ts";

/** Luma of black in the limited range. */
const BLACK = 16;
/** Mean difference from black, in levels, below which a part of a frame is black. */
const NOTHING = 1;

/** Whether all frames of a raw yuv420p scene are black outside an area, so that bars there change nothing. */
export async function isBlackAround(path: string, { width, height }: Size, area: Area): Promise<boolean> {
  const file = await open(path);
  try {
    const luma = Buffer.alloc(width * height);
    for (let frame = 0; ; frame++) {
      const { bytesRead } = await file.read(luma, 0, luma.length, frame * ((width * height * 3) / 2));
      if (bytesRead < luma.length) return frame > 0;
      if (differenceOutside(luma, { width, height }, area) >= NOTHING) return false;
    }
  } finally {
    await file.close();
  }
}

/** Mean difference of the samples outside an area from black, in levels; 0 if there are none. */
function differenceOutside(luma: Buffer, { width, height }: Size, area: Area): number {
  let [sum, count] = [0, 0];
  for (let y = 0; y < height; y++) {
    const isBeside = y < area.y || y >= area.y + area.height;
    for (let x = 0; x < width; x++) {
      if (!isBeside && x >= area.x && x < area.x + area.width) continue;
      sum += Math.abs((luma[y * width + x] as number) - BLACK);
      count++;
    }
  }
  return sum / Math.max(1, count);
}
