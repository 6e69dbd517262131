/** Makes the image that a still must equal byte for byte, from planes that were decoded separately. */
import { readFile } from "node:fs/promises";
import { ffmpeg } from "./ffmpeg.ts";
import { type Planes, pick } from "./truth.ts";

/** Named as in ffmpeg. The default for small video without tags is limited range and BT.601's matrix. */
export interface Colours {
  readonly range: "tv" | "pc";
  readonly matrix: string;
}

const EXACT = "flags=bicubic+accurate_rnd+full_chroma_int:sws_dither=none";

export async function picture(
  planes: Planes,
  frame: number,
  { range, matrix }: Colours = { range: "tv", matrix: "smpte170m" },
): Promise<Buffer> {
  const one = await pick(planes, { first: frame, count: 1 });
  const path = `${one.path}.webp`;
  await ffmpeg([
    ...["-f", "rawvideo", "-video_size", `${one.width}x${one.height}`, "-pixel_format", one.pixels],
    ...["-i", one.path, "-frames:v", "1"],
    ...["-vf", `scale=in_range=${range}:in_color_matrix=${matrix}:out_range=pc:${EXACT},format=bgra`],
    ...["-c:v", "libwebp", "-quality", "90", "-compression_level", "2", path],
  ]);
  return readFile(path);
}
