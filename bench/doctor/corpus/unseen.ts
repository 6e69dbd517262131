/** Finds faults in time that change no sample, such as a frame that is lost after a fade to black. */
import { type FileHandle, open } from "node:fs/promises";
import type { Size } from "./contents.ts";

/** Whether two orders of frames of a raw yuv420p scene are not equal, but show the same. */
export async function isSameInOrder(
  path: string,
  { width, height }: Size,
  [one, other]: readonly [readonly number[], readonly number[]],
): Promise<boolean> {
  const moved = one.flatMap((frame, place) =>
    frame === other[place] ? [] : [[frame, other[place]] as const],
  );
  if (one.length !== other.length || moved.length === 0) return false;
  const file = await open(path);
  try {
    const size = (width * height * 3) / 2;
    for (const [frame, instead = frame] of moved)
      if (!(await frameAt(file, frame, size)).equals(await frameAt(file, instead, size))) return false;
    return true;
  } finally {
    await file.close();
  }
}

async function frameAt(file: FileHandle, frame: number, size: number): Promise<Buffer> {
  const samples = Buffer.alloc(size);
  const { bytesRead } = await file.read(samples, 0, size, frame * size);
  return samples.subarray(0, bytesRead);
}
