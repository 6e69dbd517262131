/** Encodes in groups of pictures that are coded independently, so that one of them can be replaced. */
import { writeFile } from "node:fs/promises";
import { encode, type Scene } from "./clips.ts";
import type { MediaDirectory } from "./directory.ts";
import { ffmpeg } from "./ffmpeg.ts";

export interface Gops {
  readonly scene: Scene;
  readonly count: number;
  /** Frames of each. */
  readonly frames: number;
  /** Codec options; each group is coded with them as a file of its own. */
  readonly codec: readonly string[];
  /** Extension of the files of groups: a container that keeps all that the codec needs. */
  readonly part: string;
  /** Added to the options of one group. */
  readonly change?: { readonly gop: number; readonly codec: readonly string[] };
}

/** Encodes a scene; returns its path. The groups are those of another call with the same options, byte for byte. */
export async function encodeGops(directory: MediaDirectory, name: string, gops: Gops): Promise<string> {
  const { scene, count, frames, change } = gops;
  const parts: string[] = [];
  for (let gop = 0; gop < count; gop++) {
    const first = gop * frames;
    const range = `trim=start_frame=${first}:end_frame=${first + frames},setpts=PTS-STARTPTS`;
    const codec = gop === change?.gop ? [...gops.codec, ...change.codec] : gops.codec;
    const part = `${name}-${gop}.${gops.part}`;
    parts.push(await encode(directory, part, { ...scene, filters: range }, codec));
  }
  const list = directory.file(`${name}.txt`);
  await writeFile(list, parts.map((part) => `file '${part}'\n`).join(""));
  const path = directory.file(name);
  await ffmpeg(["-f", "concat", "-safe", "0", "-i", list, "-c", "copy", path]);
  return path;
}
