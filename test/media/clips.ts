/** Makes small real clips: a scene with much motion, coded by the bundled ffmpeg. */

import type { MediaDirectory } from "./directory.ts";
import { ffmpeg } from "./ffmpeg.ts";

export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly rate: string;
  readonly pixels: string;
  /** Seed of the noise: scenes with different seeds differ in every frame. */
  readonly seed: number;
  /** Additional filters after the scene is drawn. */
  readonly filters: string;
}

export const SCENE: Scene = {
  width: 192,
  height: 108,
  frames: 30,
  rate: "25",
  pixels: "yuv420p",
  seed: 1,
  filters: "",
};

/**
 * Returns ffmpeg's input options that draw a scene. Every frame differs from every other, so that pairing the wrong
 * frames changes the digits.
 */
export function draw(scene: Partial<Scene> = {}): string[] {
  const { width, height, frames, rate, pixels, seed, filters } = { ...SCENE, ...scene };
  const chain = [
    // The source draws only even sizes: odd ones are cropped.
    `testsrc2=size=${width + (width % 2)}x${height + (height % 2)}:rate=${rate}`,
    `noise=alls=14:allf=t:all_seed=${seed}`,
    `format=${pixels}`,
    `crop=${width}:${height}:0:0:exact=1`,
    "setparams=range=tv:field_mode=prog",
    `trim=end_frame=${frames}`,
  ];
  return ["-f", "lavfi", "-i", chain.join(",") + (filters ? `,${filters}` : "")];
}

/** Codec options of a fast, clearly lossy and reproducible encode. */
export const LOSSY = {
  h264: ["-c:v", "libx264", "-preset", "veryfast", "-crf", "34", "-threads", "1", "-bf", "3", "-g", "12"],
  hevc: [
    "-c:v",
    "libx265",
    "-preset",
    "ultrafast",
    "-crf",
    "36",
    "-x265-params",
    "log-level=none:pools=1:frame-threads=1",
  ],
  mpeg2: ["-c:v", "mpeg2video", "-q:v", "12", "-bf", "2", "-g", "12", "-threads", "1"],
  mpeg4: ["-c:v", "mpeg4", "-q:v", "12", "-bf", "2", "-threads", "1"],
  vp9: [
    "-c:v",
    "libvpx-vp9",
    "-b:v",
    "0",
    "-crf",
    "52",
    "-deadline",
    "realtime",
    "-cpu-used",
    "8",
    "-threads",
    "1",
  ],
  av1: ["-c:v", "libaom-av1", "-crf", "52", "-usage", "realtime", "-cpu-used", "8", "-threads", "1"],
  prores: ["-c:v", "prores_ks", "-profile:v", "0", "-qscale:v", "24", "-threads", "1"],
  ffv1: ["-c:v", "ffv1", "-threads", "1"],
  theora: ["-c:v", "libtheora", "-q:v", "3"],
  mjpeg: ["-c:v", "mjpeg", "-q:v", "14", "-threads", "1"],
} as const satisfies Record<string, readonly string[]>;

/** Codec options of large files: they keep noise, and a key frame at least every 50 frames begins segments. */
export const RICH = {
  h264: ["-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-threads", "1", "-bf", "3", "-g", "50"],
  vp9: [...atCrf20(LOSSY.vp9), "-g", "50"],
  av1: [...atCrf20(LOSSY.av1), "-g", "50"],
} as const satisfies Record<string, readonly string[]>;

function atCrf20(options: readonly string[]): string[] {
  return options.map((option) => (option === "52" ? "20" : option));
}

/** Encodes a scene into a file of the directory; returns its path. */
export async function encode(
  directory: MediaDirectory,
  name: string,
  scene: Partial<Scene>,
  options: readonly string[],
): Promise<string> {
  const path = directory.file(name);
  await ffmpeg([...draw(scene), ...options, path]);
  return path;
}

/** Writes the scene uncompressed as y4m, the reference of most pairs; returns its path. */
export async function pristine(
  directory: MediaDirectory,
  name = "reference.y4m",
  scene: Partial<Scene> = {},
): Promise<string> {
  return encode(directory, name, scene, ["-f", "yuv4mpegpipe", "-strict", "-1"]);
}

/** Copies the video of a file into another container without decoding; returns its path. */
export async function remux(
  directory: MediaDirectory,
  from: string,
  name: string,
  options: readonly string[] = [],
  inputOptions: readonly string[] = [],
): Promise<string> {
  const path = directory.file(name);
  await ffmpeg([...inputOptions, "-i", from, "-map", "0:v", "-c", "copy", ...options, path]);
  return path;
}
