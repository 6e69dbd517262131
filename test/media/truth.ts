/**
 * The oracle of the exactness tests. It shares nothing with the engine. Each side is decoded separately, by frame
 * index, into headerless planes (no filter, no tags, no timestamps), and prepared by an explicit step if a case needs
 * one. The bundled ffmpeg scores the two with libvmaf as the only filter.
 */
import { execFile } from "node:child_process";
import { open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { MediaDirectory } from "./directory.ts";
import { ffmpeg } from "./ffmpeg.ts";

/** Headerless planes of known geometry. */
export interface Planes {
  readonly path: string;
  readonly width: number;
  readonly height: number;
  /** yuv420p, yuv422p10le … */
  readonly pixels: string;
  readonly frames: number;
}

export interface Truth {
  readonly frames: number;
  /** Frame number and metric → value, as logged, to six decimals; null if it is not finite. */
  readonly rows: readonly {
    readonly frame: number;
    readonly metrics: Readonly<Record<string, number | null>>;
  }[];
}

export interface DecodeOptions {
  /** Input options, for example -ignore_editlist 1. */
  readonly input?: readonly string[];
  /** The stream to decode; default: the first one. */
  readonly stream?: string;
}

const run = promisify(execFile);
let serial = 0;

/** Decodes one side, sample for sample, in presentation order. */
export async function decode(
  directory: MediaDirectory,
  file: string,
  geometry: Pick<Planes, "width" | "height" | "pixels">,
  { input = [], stream = "0:v:0" }: DecodeOptions = {},
): Promise<Planes> {
  const path = directory.file(`planes-${serial++}.yuv`);
  await ffmpeg([
    ...["-noautorotate", ...input, "-i", file, "-map", stream],
    ...["-fps_mode", "passthrough", "-f", "rawvideo", path],
  ]);
  const frames = (await stat(path)).size / frameBytes(geometry);
  if (!Number.isInteger(frames))
    throw new Error(`${file} did not decode to whole ${JSON.stringify(geometry)} frames`);
  return { path, ...geometry, frames };
}

/** Converts samples to more bits: v << (to − from), as depth is defined for limited range. */
export async function deepen(planes: Planes, to: 10 | 12 | 16): Promise<Planes> {
  const from = depthOf(planes.pixels);
  const shift = to - from;
  const coded = await readFile(planes.path);
  const samples = from === 8 ? coded : new Uint16Array(coded.buffer, coded.byteOffset, coded.length / 2);
  const deep = Uint16Array.from(samples, (sample) => sample << shift);
  const path = `${planes.path}.${to}`;
  await writeFile(path, new Uint8Array(deep.buffer));
  return { ...planes, path, pixels: `${planes.pixels.replace(/\d*(le)?$/, "").replace(/p$/, "")}p${to}le` };
}

/** Converts samples to fewer bits: rounded half up, and clipped. */
export async function shallow(planes: Planes, to: 8 | 10): Promise<Planes> {
  const shift = depthOf(planes.pixels) - to;
  const coded = await readFile(planes.path);
  const samples = new Uint16Array(coded.buffer, coded.byteOffset, coded.length / 2);
  const rounded = samples.map((sample) => Math.min(2 ** to - 1, (sample + (1 << (shift - 1))) >> shift));
  const path = `${planes.path}.${to}`;
  await writeFile(path, to === 8 ? Uint8Array.from(rounded) : new Uint8Array(rounded.buffer));
  return { ...planes, path, pixels: planes.pixels.replace(/\d+le$/, to === 8 ? "" : "10le") };
}

/** Scales in a separate step: swscale, bicubic, no colour conversion. */
export async function scale(
  planes: Planes,
  to: Pick<Planes, "width" | "height" | "pixels">,
): Promise<Planes> {
  const path = `${planes.path}.${to.width}x${to.height}.${to.pixels}`;
  const filter = `scale=${to.width}:${to.height}:flags=bicubic,format=${to.pixels}`;
  await ffmpeg([...rawInput(planes), "-vf", filter, "-f", "rawvideo", path]);
  return { ...to, path, frames: planes.frames };
}

/** Rotates in a separate step. */
export async function turn(
  planes: Planes,
  filter: string,
  to: Pick<Planes, "width" | "height">,
): Promise<Planes> {
  const path = `${planes.path}.turned`;
  await ffmpeg([...rawInput(planes), "-vf", filter, "-f", "rawvideo", path]);
  return { ...planes, width: to.width, height: to.height, path };
}

/** Picks every `step`-th frame from `first` on, at most `count`. */
export async function pick(
  planes: Planes,
  {
    first = 0,
    step = 1,
    count = Number.POSITIVE_INFINITY,
  }: { first?: number; step?: number; count?: number },
): Promise<Planes> {
  const left = Math.max(0, Math.ceil((planes.frames - first) / step));
  return pickFrames(
    planes,
    Array.from({ length: Math.min(left, count) }, (_, index) => first + index * step),
  );
}

/** Picks frames by their numbers, in this order. */
export async function pickFrames(planes: Planes, numbers: readonly number[]): Promise<Planes> {
  const bytes = frameBytes(planes);
  const path = `${planes.path}.picked-${serial++}.yuv`;
  const from = await open(planes.path);
  const to = await open(path, "w");
  try {
    for (const frame of numbers) {
      const { buffer, bytesRead } = await from.read(Buffer.alloc(bytes), 0, bytes, frame * bytes);
      if (bytesRead !== bytes) throw new Error(`${planes.path} has no frame ${frame}`);
      await to.write(buffer);
    }
  } finally {
    await from.close();
    await to.close();
  }
  return { ...planes, path, frames: numbers.length };
}

export interface Scoring {
  /** Model name in the log → libvmaf's model (version=… or path=…, and after ":" options of its features). */
  readonly models?: Readonly<Record<string, string>>;
  /** libvmaf's feature names. */
  readonly features?: readonly string[];
  readonly subsample?: number;
  /** Path of Netflix's vmaf to use instead of the bundled ffmpeg: another version of libvmaf gives other digits. */
  readonly oracle?: string | undefined;
  /** Path of another ffmpeg than the bundled one. */
  readonly program?: string | undefined;
}

/** Scores two sides of the same geometry with the bare scorer. */
export async function truthOf(reference: Planes, distorted: Planes, scoring: Scoring = {}): Promise<Truth> {
  const { models = { vmaf: "version=vmaf_v0.6.1" }, features = [], subsample = 1 } = scoring;
  if (reference.frames !== distorted.frames || frameBytes(reference) !== frameBytes(distorted)) {
    throw new Error("the oracle scores only pairs of the same geometry and frame count");
  }
  const log = `${distorted.path}.json`;
  if (scoring.oracle === undefined)
    await scoreWithFfmpeg(reference, distorted, log, {
      ...{ models, features, subsample, program: scoring.program },
    });
  else await scoreWithVmaf(scoring.oracle, reference, distorted, log, { models, features, subsample });
  const { frames } = JSON.parse(await readFile(log, "utf8")) as {
    frames: { frameNum: number; metrics: Record<string, number | null> }[];
  };
  await rm(log);
  return {
    frames: frames.length,
    rows: frames.map(({ frameNum, metrics }) => ({ frame: frameNum, metrics: sixDecimals(metrics) })),
  };
}

/**
 * libvmaf prints more decimals where six would show a value as a whole number that it is not. It appends the encode's
 * size and depth to the names of CAMBI; they are facts of the pair.
 */
function sixDecimals(metrics: Readonly<Record<string, number | null>>): Record<string, number | null> {
  const rounded = Object.entries(metrics).map(([name, value]) => [
    name.replace(/_enc(?:bd|h|w)_\d+/g, ""),
    value === null ? null : Number(value.toFixed(6)),
  ]);
  return Object.fromEntries(rounded);
}

type Plan = Required<Pick<Scoring, "models" | "features" | "subsample">> & Pick<Scoring, "program">;

async function scoreWithFfmpeg(reference: Planes, distorted: Planes, log: string, plan: Plan): Promise<void> {
  const models = Object.entries(plan.models).map(([name, source]) =>
    `${source}:name=${name}`.replaceAll(":", "\\:"),
  );
  const options = [
    `log_fmt=json:log_path=${log}:n_threads=2:n_subsample=${plan.subsample}`,
    `model='${models.join("|")}'`,
    ...(plan.features.length > 0
      ? [`feature='${plan.features.map((name) => `name=${name}`).join("|")}'`]
      : []),
  ];
  const args = [
    ...[...rawInput(distorted), ...rawInput(reference)],
    ...["-lavfi", `[0:v][1:v]libvmaf=${options.join(":")}`, "-f", "null", "-"],
  ];
  await ffmpeg(args, { program: plan.program });
}

async function scoreWithVmaf(
  vmaf: string,
  reference: Planes,
  distorted: Planes,
  log: string,
  plan: Plan,
): Promise<void> {
  const { width, height, pixels } = reference;
  await run(vmaf, [
    ...["-r", reference.path, "-d", distorted.path, "-w", `${width}`, "-h", `${height}`],
    ...["-p", pixels.slice(3, 6), "-b", `${depthOf(pixels)}`, "--json", "-o", log, "--threads", "2"],
    ...["--subsample", `${plan.subsample}`],
    ...Object.entries(plan.models).flatMap(([name, source]) => ["-m", `${source}:name=${name}`]),
    ...plan.features.flatMap((name) => ["--feature", name]),
  ]);
}

/** Decodes and scores both sides of a pair of the same geometry. */
export async function truthOfPair(
  directory: MediaDirectory,
  pair: { readonly reference: string; readonly distorted: string },
  geometry: Pick<Planes, "width" | "height" | "pixels">,
  scoring: Scoring = {},
): Promise<Truth> {
  const reference = await decode(directory, pair.reference, geometry);
  return truthOf(reference, await decode(directory, pair.distorted, geometry), scoring);
}

function rawInput({ path, width, height, pixels }: Planes): string[] {
  return ["-f", "rawvideo", "-video_size", `${width}x${height}`, "-pixel_format", pixels, "-i", path];
}

/** Returns the bytes of one frame; odd chroma sizes round up. */
function frameBytes({ width, height, pixels }: Pick<Planes, "width" | "height" | "pixels">): number {
  const chromaWidth = pixels.startsWith("yuv444") ? width : Math.ceil(width / 2);
  const chromaHeight = pixels.startsWith("yuv420") ? Math.ceil(height / 2) : height;
  return (width * height + 2 * chromaWidth * chromaHeight) * (depthOf(pixels) > 8 ? 2 : 1);
}

function depthOf(pixels: string): number {
  return Number(/p(\d+)le$/.exec(pixels)?.[1] ?? 8);
}
