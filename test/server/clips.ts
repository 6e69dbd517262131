/** Clips for server tests: a small pair that scores quickly, and one that takes as long as a test needs. */
import assert from "node:assert/strict";
import { truncate, writeFile } from "node:fs/promises";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";

export const FRAMES = 12;

const SCENE = { width: 160, height: 90, frames: FRAMES };
const LONG = { width: 1920, height: 1080, frames: 2000 };

/** Disposing of them checks that no scores left files behind. */
export interface Clips extends AsyncDisposable {
  readonly directory: MediaDirectory;
  /** A scene of 12 frames and a lossy encode of it. */
  readonly pair: { readonly reference: string; readonly distorted: string };
  /** Minutes of 1080p: sparse raw files that take no disk space. */
  readonly longPair: {
    readonly reference: string;
    readonly distorted: string;
    readonly rawVideo: { readonly width: number; readonly height: number };
  };
}

export async function makeClips(): Promise<Clips> {
  const directory = await MediaDirectory.open();
  const reference = await pristine(directory, "reference.y4m", SCENE);
  const distorted = await encode(directory, "distorted.mp4", SCENE, LOSSY.h264);
  const { width, height, frames } = LONG;
  const long = [directory.file("long-reference.yuv"), directory.file("long-distorted.yuv")] as const;
  for (const path of long) await emptyRaw(path, width, height, frames);
  return {
    directory,
    pair: { reference, distorted },
    longPair: { reference: long[0], distorted: long[1], rawVideo: { width, height } },
    async [Symbol.asyncDispose]() {
      const left = await directory.leftovers();
      await directory.remove();
      assert.deepEqual(left, [], "scores leave no files behind");
    },
  };
}

/** A sparse raw yuv420p file of dark green frames that takes no disk space. */
export async function emptyRaw(path: string, width: number, height: number, frames: number): Promise<string> {
  await writeFile(path, "");
  await truncate(path, ((width * height * 3) / 2) * frames);
  return path;
}
