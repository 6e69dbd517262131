/** Takes the two sides of a clip apart, and measures how close they are to other planes. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { MediaDirectory } from "./directory.ts";
import { FFMPEG, ffmpeg } from "./ffmpeg.ts";
import type { Planes } from "./truth.ts";

interface Video {
  readonly video: Uint8Array;
  /** Of one side. */
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
}

let serial = 0;

/** Decodes both halves of a clip. */
export async function halvesOf(
  directory: MediaDirectory,
  { video, width, height, frameCount }: Video,
): Promise<Readonly<Record<"reference" | "distorted", Planes>>> {
  const file = directory.file(`halves-${serial++}.mp4`);
  await writeFile(file, video);
  const half = async (side: string, x: string): Promise<Planes> => {
    const path = `${file}.${side}`;
    const crop = `crop=${width}:${height}:${x}:0:exact=1`;
    await ffmpeg([
      ...["-i", file, "-vf", `format=yuv444p,${crop},format=yuv420p`],
      ...["-f", "rawvideo", "-fps_mode", "passthrough", path],
    ]);
    return { path, width, height, pixels: "yuv420p", frames: frameCount };
  };
  return { reference: await half("reference", "0"), distorted: await half("distorted", "iw/2") };
}

/** Returns how ffmpeg describes a video. */
export async function videoFacts(directory: MediaDirectory, video: Uint8Array): Promise<string> {
  const file = directory.file(`facts-${serial++}.mp4`);
  await writeFile(file, video);
  const { stderr } = await promisify(execFile)(FFMPEG, ["-hide_banner", "-i", file, "-f", "null", "-"]);
  return stderr;
}

/** PSNR of the luma of a frame, in decibels. `other`: number of the frame of the second planes. */
export function psnrOf(one: Planes, two: Planes, frame: number, other = frame): number {
  const [luma, second] = [lumaOf(one, frame), lumaOf(two, other)];
  if (luma.length !== second.length) throw new Error("the planes differ in size");
  const squares = luma.reduce((sum, sample, index) => sum + (sample - (second[index] ?? 0)) ** 2, 0);
  return 10 * Math.log10(255 ** 2 / (squares / luma.length));
}

function lumaOf({ path, width, height }: Planes, frame: number): Uint8Array {
  const chroma = 2 * Math.ceil(width / 2) * Math.ceil(height / 2);
  const at = frame * (width * height + chroma);
  const luma = readFileSync(path).subarray(at, at + width * height);
  if (luma.length < width * height) throw new Error(`${path} has no frame ${frame}`);
  return luma;
}
