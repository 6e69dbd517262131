/** Makes videos of many different scenes with the bundled ffmpeg and scores every frame of an encode of each. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { Random } from "../../src/engine/estimate/random.ts";
import { openEngine } from "../../src/engine/open.ts";
import { FFMPEG } from "../media.ts";
import { lognormal, uniform } from "./distributions.ts";

export interface Video {
  readonly name: string;
  readonly seed: number;
  readonly minutes: number;
  readonly kinds: readonly Kind[];
  /** Arguments of the distorted encode. */
  readonly encode: readonly string[];
}

const SIZE = "320x180";
const RATE = 24;
const FASTEST = ["-preset", "veryfast", "-threads", "2"];

type Kind = "zoom" | "test" | "life" | "automaton" | "gradients" | "grain" | "noise" | "pan" | "black";

const ALL: readonly Kind[] = [
  ...(["zoom", "test", "life", "automaton", "gradients", "grain", "noise", "pan", "black"] as const),
];
const MOTION: readonly Kind[] = ["zoom", "gradients", "grain", "pan"];

/**
 * Scenes that differ more from each other than those of films, and scenes that move like a camera. The encodes' quality
 * changes with the content, with rate control, or with both over long GOPs.
 */
export const VIDEOS: readonly Video[] = [
  {
    ...{ name: "patterns-capped-rate", seed: 1, minutes: 20, kinds: ALL },
    encode: [...FASTEST, "-b:v", "700k", "-maxrate", "1M", "-bufsize", "1500k", "-g", "48"],
  },
  {
    ...{ name: "motion-constant-quality", seed: 2, minutes: 12, kinds: MOTION },
    encode: [...FASTEST, "-crf", "27", "-g", "48"],
  },
  {
    ...{ name: "motion-average-rate", seed: 3, minutes: 10, kinds: MOTION },
    encode: [...FASTEST, "-b:v", "300k", "-g", "250"],
  },
];

/** Returns the VMAF of each frame. Takes about as long as a tenth of the video. */
export async function scoreVideo(video: Video): Promise<Float64Array> {
  const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
  try {
    const [reference, distorted] = [join(directory, "reference.mp4"), join(directory, "distorted.mp4")];
    await makeReference(video, reference);
    await ffmpeg(["-i", reference, "-c:v", "libx264", ...video.encode, distorted]);
    const engine = await openEngine();
    const result = await engine.score(pairRequest({ reference, distorted }));
    return Float64Array.from(
      { length: result.frames.length },
      (_, row) => result.frames.value("vmaf", row) ?? Number.NaN,
    );
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function makeReference({ seed, minutes, kinds }: Video, path: string): Promise<void> {
  const random = Random.ofSeed(seed);
  const raw = ["-f", "rawvideo", "-pix_fmt", "yuv420p"];
  const encode = ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "8", "-g", "48", path];
  const encoder = start([...raw, "-s", SIZE, "-r", String(RATE), "-i", "pipe:0", ...encode], "pipe");
  let left = minutes * 60 * RATE;
  while (left > 0) {
    const frames = Math.min(left, Math.max(12, Math.round(lognormal(random, 4, 0.8) * RATE)));
    left -= frames;
    const scene = ["-f", "lavfi", "-i", sceneOf(random, kinds), "-frames:v", String(frames)];
    const source = start([...scene, ...raw, "pipe:1"], "ignore");
    const ended = exitOf(source);
    for await (const chunk of source.stdout ?? []) {
      if (encoder.stdin?.write(chunk) === false) await once(encoder.stdin, "drain");
    }
    await ended;
  }
  const ended = exitOf(encoder);
  encoder.stdin?.end();
  await ended;
}

/** A random scene: easy or hard to encode, still or moving. */
function sceneOf(random: Random, kinds: readonly Kind[]): string {
  const number = (low: number, high: number) => uniform(random, low, high).toFixed(4);
  const integer = (low: number, high: number) => String(Math.floor(uniform(random, low, high + 1)));
  const seed = integer(1, 1e6);
  const source = `s=${SIZE}:r=${RATE}`;
  const scenes: Record<Kind, () => string> = {
    zoom: () =>
      `mandelbrot=${source}:start_scale=${number(0.01, 3)}:end_scale=${number(0.001, 0.01)}:end_pts=${integer(200, 4000)}:maxiter=120`,
    test: () => `testsrc2=${source}`,
    life: () =>
      `life=s=80x45:r=${integer(4, RATE)}:seed=${seed}:mold=${integer(5, 80)}:ratio=0.4:mold_color=#304080`,
    automaton: () => `cellauto=s=160x90:r=${RATE}:rule=${integer(1, 255)}:seed=${seed}:scroll=1`,
    gradients: () => `gradients=${source}:seed=${seed}:speed=${number(0.001, 0.1)}:n=${integer(2, 8)}`,
    grain: () =>
      `gradients=${source}:seed=${seed}:speed=0.01,noise=alls=${integer(2, 12)}:allf=t:all_seed=${seed}`,
    noise: () => `sierpinski=${source}:seed=${seed}:jump=${integer(1, 200)}`,
    pan: () =>
      `mandelbrot=s=640x360:r=${RATE}:start_scale=${number(0.1, 1)}:maxiter=120,trim=end_frame=1,zoompan=z=zoom+${number(0.0005, 0.004)}:d=2000:s=${SIZE}:fps=${RATE}`,
    black: () => `color=c=black:${source}`,
  };
  const kind = kinds[random.below(kinds.length)] ?? "black";
  return `${scenes[kind]()},scale=320:180,fps=${RATE},format=yuv420p`;
}

async function ffmpeg(args: readonly string[]): Promise<void> {
  await exitOf(start(args, "ignore"));
}

function start(args: readonly string[], stdin: "pipe" | "ignore") {
  const command = ["-nostdin", "-v", "error", "-y", ...args];
  return spawn(FFMPEG, command, { stdio: [stdin, "pipe", "inherit"] });
}

async function exitOf(child: ReturnType<typeof start>): Promise<void> {
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`ffmpeg ended with exit code ${String(code)}`);
}
