/** Makes the benchmark's media with the bundled ffmpeg. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundledFfmpeg } from "../src/engine/programs/candidates.ts";

const run = promisify(execFile);
/** The ffmpeg that makes and scores the media of benchmarks. */
export const FFMPEG = (await bundledFfmpeg()) ?? "ffmpeg";

/** Options of both encodes of a pair. */
const ENCODE = ["-c:v", "libx264", "-preset", "veryfast", "-g", "50"] as const;

/** Runs the bundled ffmpeg in a folder. */
export async function ffmpeg(args: readonly string[], cwd: string): Promise<void> {
  await run(FFMPEG, ["-nostdin", "-v", "error", "-y", ...args], { cwd, maxBuffer: 2 ** 24 });
}

/**
 * Makes reference.mp4 and distorted.mp4: a moving, textured scene of `seconds` at 25 frames per second, with a key frame
 * every two seconds, as streams have. `rate` is the reference's bit rate as x264 takes it, such as 8M; default: that of a
 * master, whose decoding costs as much as scoring.
 */
export async function makePair(
  directory: string,
  size: string,
  seconds: number,
  rate?: string,
): Promise<void> {
  const scene = `mandelbrot=s=${size}:r=25:end_scale=0.05:maxiter=200,noise=alls=4:allf=t,format=yuv420p`;
  await ffmpeg(
    [
      "-f",
      "lavfi",
      "-i",
      scene,
      "-t",
      String(seconds),
      ...ENCODE,
      ...(rate === undefined ? ["-crf", "12"] : ["-b:v", rate]),
      "reference.mp4",
    ],
    directory,
  );
  await ffmpeg(["-i", "reference.mp4", ...ENCODE, "-crf", "33", "distorted.mp4"], directory);
}

/** Number of distinct frames of a small pair; they are repeated. */
const REPEATED_FRAMES = 600;

/**
 * Makes a pair of 64x64 pixels that is fast to score: 600 frames without B-frames, repeated as often as necessary.
 * Returns the file names.
 */
export async function makeSmallPair(directory: string, frames: number, rate = 30): Promise<[string, string]> {
  const made = await Promise.all(
    [10, 40].map(async (quality) => {
      const [once, film] = [`once-${quality}.mp4`, `small-${frames}-${quality}.mp4`];
      const source = ["-f", "lavfi", "-i", `testsrc2=s=64x64:r=${rate}`];
      const length = ["-frames:v", String(Math.min(frames, REPEATED_FRAMES))];
      await ffmpeg([...source, ...length, "-preset", "ultrafast", "-crf", String(quality), once], directory);
      const repeats = ["-stream_loop", String(Math.ceil(frames / REPEATED_FRAMES) - 1)];
      const copied = ["-c", "copy", "-frames:v", String(frames), film];
      await ffmpeg([...repeats, "-i", once, ...copied], directory);
      return film;
    }),
  );
  const [reference = "", distorted = ""] = made;
  return [reference, distorted];
}

/** Frames of a group of pictures in a film, and groups in the part of it that is repeated. */
const GOP = 240;
const GOPS = 3;

/**
 * Makes a film of 64x64 pixels at 24 frames per second in which one group of pictures is another one, and the film
 * without that change. Returns the file names: of the reference, the film and the changed film.
 */
export async function makeFilms(
  directory: string,
  hours: number,
): Promise<readonly [reference: string, film: string, changed: string]> {
  const part = async (name: string, quality: number, filters = "null"): Promise<string> => {
    const source = ["-f", "lavfi", "-i", `testsrc2=s=64x64:r=24,noise=alls=6:allf=t:all_seed=1,${filters}`];
    // With a constant quantizer, a group does not depend on those before it.
    const codec = ["-c:v", "libx264", "-preset", "veryfast", "-qp", String(quality), "-threads", "1"];
    const groups = ["-x264-params", `keyint=${GOP}:min-keyint=${GOP}:scenecut=0:open-gop=0`];
    await ffmpeg([...source, "-frames:v", String(GOP * GOPS), ...codec, ...groups, name], directory);
    return name;
  };
  const dark = `drawbox=c=black:t=fill:w=20:h=20:enable='between(n,${GOP},${2 * GOP - 1})'`;
  const [fine, coarse, other] = [
    await part("fine.mp4", 16),
    await part("coarse.mp4", 38),
    await part("other.mp4", 38, dark),
  ];
  const count = Math.round((hours * 3600 * 24) / (GOP * GOPS));
  const film = async (name: string, partOf: (index: number) => string): Promise<string> => {
    const list = Array.from({ length: count }, (_, index) => `file '${partOf(index)}'\n`).join("");
    await writeFile(join(directory, `${name}.txt`), list);
    await ffmpeg(["-f", "concat", "-i", `${name}.txt`, "-c", "copy", name], directory);
    return name;
  };
  const middle = count >> 1;
  return [
    await film("film-reference.mp4", () => fine),
    await film("film.mp4", () => coarse),
    await film("film-changed.mp4", (index) => (index === middle ? other : coarse)),
  ];
}

/** A command that scores without svc. */
export interface BareCommand {
  /** Default: the bundled ffmpeg. */
  readonly program?: string;
  /** Default: libvmaf's own. */
  readonly model?: string;
  /** Pixel format to which both sides are converted; default: as decoded. */
  readonly format?: string;
  /** Filters of another branch of the reference's frames. */
  readonly beside?: string;
}

/** Scores the pair of makePair with an ffmpeg alone: the minimum work of a score. */
export async function runBareScorer(
  directory: string,
  threads: number,
  { program = FFMPEG, model, format, beside }: BareCommand = {},
): Promise<void> {
  const chosen = model === undefined ? "" : `:model=version=${model}`;
  const libvmaf = `libvmaf=n_threads=${threads}:log_fmt=csv:log_path=bare.csv${chosen}`;
  const chain = ["settb=1/1000", "setpts=N", ...(format === undefined ? [] : [`format=${format}`])].join(",");
  const split = beside === undefined ? "[r]" : `,split[r][b];[b]${beside}`;
  const graph = `[0:v]${chain}[d];[1:v]${chain}${split};[d][r]${libvmaf}`;
  const inputs = ["-i", "distorted.mp4", "-i", "reference.mp4"];
  const args = ["-nostdin", "-v", "error", "-y", ...inputs, "-lavfi", graph, "-f", "null", "-"];
  await run(program, args, { cwd: directory });
}
