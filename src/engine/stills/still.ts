/** Makes stills: images of frames of both sides, from exactly the samples that were compared. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { SIDES, type Side } from "../contract/request.ts";
import type { Still } from "../contract/work.ts";
import { sideChain } from "../decoding/graph.ts";
import { inputArguments } from "../decoding/input.ts";
import type { Sources } from "../files/source.ts";
import { bothSides } from "../media/all-or-abort.ts";
import { noDecoder, refuseFailedDecode } from "../media/decode-errors.ts";
import { EVERY_FRAME, QUIET, withGraphFile } from "../media/ffmpeg.ts";
import { Messages } from "../media/messages.ts";
import type { DecodeContext, ProbeContext } from "../media/probe-context.ts";
import type { Plan } from "../planning/plan.ts";
import type { Segment } from "../planning/segment.ts";
import { decodeLimits } from "../sandbox/limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { type Colours, coloursOf, comparedColours } from "./colours.ts";
import { canEncode } from "./trial.ts";

/**
 * Limit of a still in bytes: its message stays under gRPC's 4 MiB. A detailed 1920x1080 frame takes half a
 * megabyte.
 */
const MAX_STILL_BYTES = 3 * 2 ** 20;
/** Pixels of the longer side of a still; larger frames are scaled down. */
const MAX_STILL_SIDE = 4096;
/**
 * The settings with which stills are encoded, tried in order until all are small enough: WebP's quality
 * (docs/adr/0014-stills-are-webp.md) and the divisor of the size. Pure noise needs the last one.
 */
const DRAWINGS = [
  { quality: 90, divisor: 1 },
  { quality: 75, divisor: 1 },
  { quality: 50, divisor: 1 },
  { quality: 50, divisor: 2 },
];
/** Encoding effort, 0 to 6: a higher value takes longer and saves hardly a byte. */
const EFFORT = 2;
/** Limit of the file that ffmpeg writes for a still, before its size is checked. */
const WRITTEN_BYTES = 64 * 2 ** 20;
/** The most exact conversion: no dither, which would show as a difference, and chroma interpolated to every pixel. */
const TO_RGB = "flags=bicubic+accurate_rnd+full_chroma_int:sws_dither=none";

const mediaType = "image/webp";

/** Makes stills of both sides for some of a segment's own frames, in frame order. Throws a Failure. */
export async function makeStills(
  plan: Plan,
  segment: Segment,
  frames: readonly number[],
  sources: Sources,
  context: ProbeContext,
): Promise<readonly Still[]> {
  const { ffmpeg } = context;
  if (ffmpeg === undefined) throw noDecoder("Stills need");
  const wanted = [...new Set(frames)].sort((a, b) => a - b);
  for (const frame of wanted) refuseOutside(frame, segment);
  const bySide = { ...context, ffmpeg };
  const tagged = await bothSides(context.signal, (side, signal) =>
    coloursOf(sources[side], plan.tracks[side], { ...bySide, signal }),
  );
  const colours = comparedColours(tagged, plan);
  for (const { quality, divisor } of DRAWINGS) {
    const size = stillSize(plan.pairing, divisor);
    const work = { plan, segment, wanted, sources, size, quality };
    const images = await bothSides(context.signal, (side, signal) =>
      draw({ ...work, side }, colours[side], { ...bySide, signal }),
    );
    if (
      Object.values(images)
        .flat()
        .some(({ length }) => length > MAX_STILL_BYTES)
    )
      continue;
    return wanted.flatMap((frame, index) =>
      SIDES.map((side) => ({ frame, side, mediaType, ...size, image: images[side][index] ?? none() })),
    );
  }
  throw new Failure("MEDIA_TOO_LARGE", `A still of these frames takes more than ${MAX_STILL_BYTES} bytes.`);
}

/** Whether ffmpeg can write stills (WebP). */
export function canMakeStills(programs: Pick<ProbeContext, "ffmpeg" | "isolation">): Promise<boolean> {
  return canEncode(programs, [...encoding(DRAWINGS[0]?.quality ?? none()), "trial.webp"]);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface SideWork {
  readonly plan: Plan;
  readonly segment: Segment;
  /** Sorted, without duplicates. */
  readonly wanted: readonly number[];
  readonly sources: Sources;
  readonly side: Side;
  readonly size: Size;
  readonly quality: number;
}

/** Makes the images of a side, in the order of the frames. */
async function draw(
  work: SideWork,
  colours: Colours,
  { ffmpeg, isolation, signal }: DecodeContext,
): Promise<readonly Uint8Array[]> {
  const { sources, plan, side, wanted } = work;
  const source = sources[side];
  const messages = new Messages();
  await using sandbox = Sandbox.open({ sources: [source], isolation, signal });
  const exit = await sandbox.run({
    program: ffmpeg,
    ...withGraphFile(drawArguments(work, colours)),
    limits: { ...decodeLimits(plan.tracks[side]), fileBytes: WRITTEN_BYTES },
    onStderr: (line) => messages.read(line),
  });
  refuseFailedDecode(source, exit, messages);
  return await Promise.all(
    wanted.map(async (frame, index) => {
      const written = readFile(join(sandbox.directory, imageName(index)));
      return written.catch((error: unknown) => {
        throw errorCode(error) === "ENOENT" ? notDecoded(side, frame) : error;
      });
    }),
  );
}

/** Returns the command that decodes and converts a side as for scoring, and writes the wanted frames as images. */
function drawArguments(work: SideWork, { matrix, range }: Colours): readonly string[] {
  const { plan, segment, wanted, sources, side, size, quality } = work;
  const { tracks, pairing } = plan;
  const seen = segment.first - segment.before;
  const some = wanted.map((frame) => frame - seen);
  const chain = sideChain(tracks[side], pairing, segment, some);
  const toRgb = `scale=${size.width}:${size.height}:${TO_RGB}:in_range=${range}:in_color_matrix=${matrix}:out_range=pc`;
  return [
    ...[...QUIET, "-xerror"],
    ...inputArguments({ tracks, sources, pairing, segment }, side),
    ...["-filter_complex", `[0:V:0]${chain},${toRgb},format=bgra[out]`, "-map", "[out]"],
    ...["-frames:v", String(wanted.length), ...EVERY_FRAME, ...encoding(quality)],
    ...["-f", "image2", "-start_number", "0", "still-%d.webp"],
  ];
}

function encoding(quality: number): readonly string[] {
  return ["-c:v", "libwebp", "-quality", String(quality), "-compression_level", String(EFFORT)];
}

/** Returns the name of an image in the working directory. */
function imageName(index: number): string {
  return `still-${index}.webp`;
}

/** Both sides are compared in one size; stills have that size, or less. */
function stillSize({ width, height }: Size, divisor: number): Size {
  const share = Math.min(1, MAX_STILL_SIDE / Math.max(width, height)) / divisor;
  const scaled = (pixels: number): number => Math.max(1, Math.round(pixels * share));
  return { width: scaled(width), height: scaled(height) };
}

function refuseOutside(frame: number, { first, count }: Segment): void {
  if (Number.isInteger(frame) && frame >= first && frame < first + count) return;
  const detail = `Frame ${frame} is not in its segment of ${count} frames from frame ${first} on.`;
  throw new Failure("INVALID_REQUEST", detail);
}

function none(): never {
  throw new TypeError("the list is shorter than expected");
}

function notDecoded(side: Side, frame: number): Failure {
  return new Failure("FRAME_COUNT_MISMATCH", `Frame ${frame} of the ${side} video did not decode.`);
}
