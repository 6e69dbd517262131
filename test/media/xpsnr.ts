/** The oracle of XPSNR: ffmpeg's bare filter between headerless planes, whose rows have no padding. */
import { readFile, rm } from "node:fs/promises";
import { ffmpeg } from "./ffmpeg.ts";
import type { Planes, Truth } from "./truth.ts";

/** Compares two sides at a frame rate. Of the rows, every `subsample`-th is kept; the filter sees every frame. */
export async function xpsnrTruth(
  reference: Planes,
  distorted: Planes,
  { rate = "25", subsample = 1 }: { readonly rate?: string; readonly subsample?: number } = {},
): Promise<Truth> {
  const log = `${distorted.path}.xpsnr`;
  const input = ({ path, width, height, pixels }: Planes) => [
    ...["-f", "rawvideo", "-framerate", rate, "-video_size", `${width}x${height}`],
    ...["-pixel_format", pixels, "-i", path],
  ];
  await ffmpeg([
    ...[...input(reference), ...input(distorted)],
    ...["-lavfi", `[0:v][1:v]xpsnr=stats_file=${log}`, "-f", "null", "-"],
  ]);
  const lines = (await readFile(log, "utf8")).split("\n").filter((line) => line.startsWith("n:"));
  await rm(log);
  if (lines.length !== reference.frames) throw new Error(`XPSNR of ${lines.length} frames`);
  const rows = lines
    .map((line, frame) => ({ frame, metrics: metricsOf(line) }))
    .filter(({ frame }) => frame % subsample === 0);
  return { frames: rows.length, rows };
}

function metricsOf(line: string): Record<string, number | null> {
  const values = [...line.matchAll(/XPSNR ([yuv]): (\S+)/g)].map(([, plane, value]) => [
    `xpsnr_${plane}`,
    value === "inf" ? null : Number(value),
  ]);
  return Object.fromEntries(values);
}
