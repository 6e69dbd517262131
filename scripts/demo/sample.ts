/**
 * The demo's pair: three lively scenes, encoded at high quality for the reference and at a low bit rate for the
 * distorted video.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Progress } from "../../src/engine/contract/result.ts";
import { decoderOf, findCandidates } from "../../src/engine/programs/candidates.ts";
import { PLATFORM } from "../../src/engine/programs/release.ts";
import { programPlaces } from "../../src/platform/config/program-places.ts";

/** 10 s at 25 frames per second. */
const FRAMES = 250;

/**
 * Drifting ground in evening light, a swarm (Conway's game of life), and a dive into the Mandelbrot set. They have
 * texture, motion, cuts and film grain, each hard to encode in its own way.
 */
const SCENES = [
  "gradients=s=640x360:r=25:d=3.6:n=4:speed=0.006:seed=7:x0=0:y0=0:x1=0:y1=360" +
    ":c0=0x1b2a49:c1=0xd9825b:c2=0xf2c879:c3=0x46685b,scale=1280:720,format=gbrp[light]",
  "nullsrc=s=640x360:r=25:d=0.04,format=gray,geq=lum='64+random(1)*127',gblur=sigma=1.5,eq=contrast=4," +
    "scale=1280:720:flags=bicubic,format=gbrp,loop=loop=90:size=1,setpts=N/25/TB,scroll=h=0.003:v=0.001," +
    "trim=duration=3.6[ground]",
  "[light][ground]blend=all_mode=softlight,noise=alls=5:allf=t[dusk]",
  "life=s=320x180:r=25:mold=14:ratio=0.12:rule=B3/S23:seed=11" +
    ":death_color=#3a6ea5:life_color=#f4e3b2:mold_color=#16324f," +
    "scale=1280:720:flags=bicubic,scroll=h=-0.004,trim=duration=3.2,format=gbrp[swarm]",
  "mandelbrot=s=640x360:r=25:start_x=-0.7436:start_y=-0.1318:start_scale=0.5:end_scale=0.02:end_pts=80" +
    ":maxiter=500,trim=duration=3.2,scale=1280:720:flags=bicubic,hue=s=0.6,noise=alls=6:allf=t,format=gbrp[dive]",
  "[dusk][swarm][dive]concat=n=3,format=yuv420p,split[fine][coarse]",
].join(";");

/** With a fixed number of threads and no buffer model in rate control, x264 output is deterministic. */
const ENCODER = ["-c:v", "libx264", "-preset", "veryfast", "-threads", "2"];
const FINE = [...ENCODER, "-crf", "14"];
const COARSE = [...ENCODER, "-b:v", "2500k"];

export interface Pair {
  readonly reference: string;
  readonly distorted: string;
}

/** Writes the pair into a folder. Aborting kills the encoder. */
export async function makePair(
  folder: string,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Pair> {
  const pair = { reference: join(folder, "reference.mp4"), distorted: join(folder, "distorted.mp4") };
  const output = [
    ["-map", "[fine]", ...FINE, pair.reference],
    ["-map", "[coarse]", ...COARSE, pair.distorted],
  ].flat();
  const input = ["-nostdin", "-v", "error", "-progress", "pipe:1", "-stats_period", "0.2"];
  const encoder = spawn(await ffmpegPath(), [...input, "-filter_complex", SCENES, ...output], {
    signal,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const complaints: string[] = [];
  encoder.stderr.setEncoding("utf8").on("data", (text: string) => complaints.push(text));
  reportFrames(createInterface({ input: encoder.stdout }), onProgress);
  const [code] = await once(encoder, "close");
  if (code !== 0) {
    throw new Error(
      `Failed to make the sample pair. ffmpeg printed: ${complaints.join("").trim().slice(-500)}`,
    );
  }
  return pair;
}

/** Reads "frame=N" from ffmpeg's progress reports. */
function reportFrames(lines: NodeJS.EventEmitter, onProgress: (progress: Progress) => void): void {
  const started = performance.now();
  lines.on("line", (line: string) => {
    const framesDone = Number(/^frame=(\d+)$/.exec(line)?.[1] ?? Number.NaN);
    if (!(framesDone > 0)) return;
    const fps = framesDone / ((performance.now() - started) / 1000);
    onProgress({ framesDone, framesTotal: FRAMES, fps, secondsLeft: Math.max(0, FRAMES - framesDone) / fps });
  });
}

/** The bundled ffmpeg, else the one on the PATH. */
async function ffmpegPath(): Promise<string> {
  const path = decoderOf(await findCandidates(programPlaces(process.env)));
  if (path !== undefined) return path;
  throw new Error(
    `ffmpeg was not found. svc has one for Linux on x86-64 and arm64 (bin/svc scorer install); this is ${PLATFORM}. ` +
      "Or install an ffmpeg built with libvmaf and libx264, then run the demo again.",
  );
}
