/** Makes the two files of a pair with the bundled ffmpeg. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Random } from "../../../src/engine/estimate/random.ts";
import { FFMPEG } from "../../media.ts";
import { isBlackAround } from "./black.ts";
import { Draw } from "./draw.ts";
import type { Recipe, Scene, SideRecipe } from "./fault.ts";
import { encodeArguments, extensionOf, treated } from "./treatment.ts";
import { TIME_CODES } from "./truth.ts";
import { isSameInOrder } from "./unseen.ts";

const TAGS = "setparams=range=limited:colorspace=bt709:color_primaries=bt709:color_trc=bt709";
/** Almost lossless, and small enough to keep thousands of files. */
const PRISTINE = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "5", "-threads", "1"];

export interface Folders {
  /** The clips of `fetchClips`. */
  readonly clips: string;
  /** Where the pair is made. The folder must exist. */
  readonly pair: string;
}

/** Names of a pair's files. */
export interface Files {
  readonly reference: string;
  readonly distorted: string;
  /** Whether the fault changes no samples: its bars cover only black, or the frames that it moves are the same. */
  readonly hidden: boolean;
}

/** Makes the files. */
export async function makePair(scene: Scene, recipe: Recipe, folders: Folders): Promise<Files> {
  const { reference, distorted } = recipe;
  const [raw, made] = [join(folders.pair, "scene.yuv"), `reference.${extension(reference)}`];
  const both = [reference, ...(distorted === "same file" ? [] : [distorted])];
  await renderScene(scene, framesOf(both), raw, folders.clips);
  await encodeSide(reference, scene, raw, join(folders.pair, made));
  const hidden = await isHidden(recipe, scene, raw);
  const other = await makeDistorted(distorted, { scene, raw, reference: made }, folders);
  await rm(raw);
  return { reference: made, distorted: other, hidden };
}

async function isHidden(
  { reference, distorted, truth }: Recipe,
  scene: Scene,
  raw: string,
): Promise<boolean> {
  const { expected, uncovered } = truth;
  if (uncovered !== undefined) return isBlackAround(raw, scene, uncovered);
  const isInTime = expected.length > 0 && expected.flat().every((code) => TIME_CODES.includes(code));
  if (!isInTime || distorted === "same file" || distorted.scene !== undefined) return false;
  return isSameInOrder(raw, scene, [reference.frames, distorted.frames]);
}

async function makeDistorted(
  side: SideRecipe | "same file",
  { scene, raw, reference }: { scene: Scene; raw: string; reference: string },
  { pair, clips }: Folders,
): Promise<string> {
  if (side === "same file") {
    const name = reference.replace("reference", "distorted");
    await copyFile(join(pair, reference), join(pair, name));
    return name;
  }
  if (side.scene !== undefined) await renderScene({ ...scene, ...side.scene }, framesOf([side]), raw, clips);
  const name = `distorted.${extension(side)}`;
  await encodeSide(side, scene, raw, join(pair, name));
  return name;
}

const extension = ({ treatment }: SideRecipe) => (treatment === undefined ? "mp4" : extensionOf(treatment));
const framesOf = (sides: readonly SideRecipe[]) => 1 + Math.max(...sides.flatMap(({ frames }) => frames));

/** Writes the frames of a scene as raw yuv420p. */
async function renderScene(scene: Scene, frames: number, raw: string, clips: string): Promise<void> {
  const { width, height, seed, content } = scene;
  const draw = new Draw(Random.ofSeed(seed));
  const { inputs, graph } = content.graph({ width, height, seed, frames, draw }, clips);
  const limited = `[out]scale=${width}:${height}:out_range=limited:out_color_matrix=bt709,format=yuv420p[raw]`;
  const output = ["-map", "[raw]", "-frames:v", String(frames), "-fps_mode", "passthrough"];
  const threads = ["-threads", "1", "-filter_complex_threads", "1"];
  const args = [...threads, ...inputs, "-filter_complex", `${graph};${limited}`, ...output];
  await exitOf(start([...args, "-f", "rawvideo", raw], "ignore"));
}

/** Encodes the frames of a side, in the side's order. */
async function encodeSide(side: SideRecipe, scene: Scene, raw: string, path: string): Promise<void> {
  const { treatment, filters, size } = side;
  const chain = treatment === undefined ? filters : treated(treatment, filters, size);
  const size420 = (scene.width * scene.height * 3) / 2;
  const input = [
    "-f",
    "rawvideo",
    "-pix_fmt",
    "yuv420p",
    "-s",
    `${scene.width}x${scene.height}`,
    "-r",
    side.rate,
  ];
  const encode = treatment === undefined ? PRISTINE : encodeArguments(treatment);
  const output = ["-pix_fmt", "yuv420p", "-fps_mode", "passthrough", ...encode, ...side.output, path];
  const child = start([...input, "-i", "pipe:0", "-vf", [TAGS, ...chain].join(","), ...output], "pipe");
  const ended = exitOf(child);
  const file = await open(raw);
  try {
    for (const frame of side.frames) {
      const picture = Buffer.alloc(size420);
      const { bytesRead } = await file.read(picture, 0, size420, frame * size420);
      if (bytesRead < size420) throw new Error(`the scene ${scene.content.name} has no frame ${frame}`);
      // If the pipe breaks, the exit of ffmpeg has the reason.
      if (child.stdin?.write(picture) === false)
        await Promise.race([once(child.stdin, "drain").catch(() => ended), ended]);
    }
  } finally {
    await file.close();
    child.stdin?.end();
  }
  await ended;
}

function start(args: readonly string[], stdin: "pipe" | "ignore") {
  const env = { ...process.env, SVT_LOG: "1" };
  return spawn(FFMPEG, ["-v", "error", "-y", ...args], { stdio: [stdin, "ignore", "pipe"], env });
}

async function exitOf(child: ReturnType<typeof start>): Promise<void> {
  let messages = "";
  child.stderr?.on("data", (data: Buffer) => {
    messages += data.toString();
  });
  child.stdin?.on("error", () => undefined);
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0)
    throw new Error(`ffmpeg ended with exit code ${String(code)}: ${child.spawnargs.join(" ")}\n${messages}`);
}
