/** A pair for the tests of svc score: a scene of 30 frames (192x108), and a lossy encode of it. */
import assert from "node:assert/strict";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";

export const FRAMES = 30;

export interface PairClips {
  readonly media: MediaDirectory;
  /** Reference and distorted. */
  readonly pair: [string, string];
  /** Removes everything; fails if scores left files behind. */
  remove(): Promise<void>;
}

export async function makePair(): Promise<PairClips> {
  const media = await MediaDirectory.open();
  const reference = await pristine(media, "reference.y4m", { frames: FRAMES });
  const distorted = await encode(media, "distorted.mp4", { frames: FRAMES }, LOSSY.h264);
  return {
    media,
    pair: [reference, distorted],
    async remove() {
      assert.deepEqual(await media.leftovers(), []);
      await media.remove();
    },
  };
}
