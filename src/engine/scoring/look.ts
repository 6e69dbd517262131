/**
 * Small pictures of the frames that a run of the scorer compares, for the doctor. The scorer's own decoders deliver
 * them, so that nothing is decoded twice.
 */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../platform/errors.ts";
import type { Finding, FrameSpan } from "../contract/finding.ts";
import type { PairRequest, Side } from "../contract/request.ts";
import type { Compared } from "../decoding/compared.ts";
import { decodePictures } from "../decoding/pictures.ts";
import { nameOf, type Source } from "../files/source.ts";
import { bothSides } from "../media/all-or-abort.ts";
import { EVERY_FRAME } from "../media/ffmpeg.ts";
import { FieldPictures, PICTURE_BYTES, Pictures, SHRINK } from "../media/pictures.ts";
import type { DecodeContext, ProbeContext } from "../media/probe-context.ts";
import type { Model } from "../planning/models.ts";
import { findingsOfAll } from "../results/findings.ts";
import { SPAN } from "../results/looked-spans.ts";
import { fieldBytes, fieldFrames } from "./look-fields.ts";
import type { Run } from "./run.ts";

/** Frames that are examined together: consecutive ones that a run of the scorer compares. */
export interface Looked extends Compared {
  readonly request: PairRequest;
  readonly models: readonly Model[];
  /** Counted from the first frame of the segment's context. */
  readonly span: FrameSpan;
  readonly pictures: Readonly<Record<Side, Pictures>>;
  /** Fields of a few frames, numbered from the first of the span; undefined: the scorer delivers none. */
  readonly fields?: Readonly<Record<Side, FieldPictures>> | undefined;
}

/** Finds out how the frames relate. Throws PAIR_MISMATCH if the request's policy refuses what is found. */
export type Look = (looked: Looked, context: DecodeContext) => Promise<readonly Finding[]>;

/** Returns the bytes of the largest file that the outputs write. */
export function picturesBytes(spans: readonly FrameSpan[]): number {
  return PICTURE_BYTES * framesOf(spans);
}

function framesOf(spans: readonly FrameSpan[]): number {
  return spans.reduce((sum, { count }) => sum + count, 0);
}

/** Returns the filters from the compared frames of a side, numbered from 0, to its pictures. */
export function pictureChain(spans: readonly FrameSpan[]): string {
  const [first, ...others] = spans;
  if (first === undefined) return SHRINK;
  if (others.length === 0) return `trim=end_frame=${first.count},${SHRINK}`;
  const within = spans.map((span) => `between(n\\,${span.first}\\,${span.first + span.count - 1})`);
  return `select=${within.join("+")},${SHRINK}`;
}

/** Returns the output that writes a side's pictures from the filter's output `label`. */
export function picturesOutput(label: string, source: Source): readonly string[] {
  return rawOutput(label, fileName(source, "pictures"));
}

/** Returns the output that writes the pictures of a side's fields. */
export function fieldsOutput(label: string, source: Source): readonly string[] {
  return rawOutput(label, fileName(source, "fields"));
}

function rawOutput(label: string, name: string): readonly string[] {
  return ["-map", label, ...EVERY_FRAME, "-f", "rawvideo", name];
}

function fileName(source: Source, what: "pictures" | "fields"): string {
  return `${nameOf(source)}.${what}`;
}

/**
 * Examines the frames of a run that has ended. A scorer that decodes in other programs wrote no pictures, so they are
 * decoded now. Returns no findings if there is no ffmpeg for that.
 */
export async function lookAt(
  run: Run & Pick<Looked, "request">,
  look: Look,
  context: ProbeContext,
): Promise<readonly Finding[]> {
  const { ffmpeg } = context;
  if (ffmpeg === undefined) return [];
  const found: (readonly Finding[])[] = [];
  for (const [index, span] of run.looked.entries()) {
    const before = run.looked.slice(0, index);
    const written = { first: PICTURE_BYTES * framesOf(before), length: PICTURE_BYTES * span.count };
    const pictures = await bothSides(context.signal, async (side, signal) => {
      const bytes = await readWritten(run, fileName(run.sources[side], "pictures"), written);
      if (bytes !== undefined) return new Pictures(bytes);
      return decodePictures(run, side, span, { ...context, ffmpeg, signal });
    });
    const fields = await writtenFields(run, before, span);
    found.push(await look({ ...run, span, pictures, fields }, { ...context, ffmpeg }));
  }
  return findingsOfAll(found);
}

/**
 * Examines the first frames of a pair of which only short segments will be scored. Returns the findings; none if there
 * is no ffmpeg.
 */
export async function lookAhead(
  compared: Omit<Looked, "span" | "pictures">,
  look: Look,
  context: ProbeContext,
): Promise<readonly Finding[]> {
  const { ffmpeg } = context;
  if (ffmpeg === undefined) return [];
  const span = { first: 0, count: Math.min(SPAN, compared.pairing.frameCount) };
  const pictures = await bothSides(context.signal, (side, signal) =>
    decodePictures(compared, side, span, { ...context, ffmpeg, signal }),
  );
  return look({ ...compared, span, pictures }, { ...context, ffmpeg });
}

/** Returns the pictures of fields that the scorer wrote for a span; undefined if it wrote none. */
async function writtenFields(
  run: Run,
  before: readonly FrameSpan[],
  span: FrameSpan,
): Promise<Looked["fields"]> {
  const frames = fieldFrames([span]).map((frame) => frame - span.first);
  const place = fieldBytes(before, span);
  const [reference, distorted] = await Promise.all([
    readWritten(run, fileName(run.sources.reference, "fields"), place),
    readWritten(run, fileName(run.sources.distorted, "fields"), place),
  ]);
  if (reference === undefined || distorted === undefined) return undefined;
  return { reference: new FieldPictures(reference, frames), distorted: new FieldPictures(distorted, frames) };
}

/** Reads a part of a file that the scorer wrote. Returns undefined if it wrote none. */
async function readWritten(
  { sandbox }: Run,
  name: string,
  { first, length }: { first: number; length: number },
): Promise<Buffer | undefined> {
  try {
    await using file = await open(join(sandbox.directory, name));
    const bytes = Buffer.allocUnsafe(length);
    const { bytesRead } = await file.read(bytes, 0, length, first);
    return bytes.subarray(0, bytesRead);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
