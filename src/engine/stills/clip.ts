/** Makes clips: videos of both sides next to each other, from exactly the samples that were compared. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  CLIP_PIECE_BYTES,
  framesAround,
  isPlayable,
  MAX_CLIP_BYTES,
  MAX_CLIP_FRAMES,
  MAX_CLIP_PARTS,
} from "../../jobs/clips.ts";
import { Failure } from "../../platform/failure.ts";
import { SIDES } from "../contract/request.ts";
import type { Clip } from "../contract/work.ts";
import type { Sources } from "../files/source.ts";
import { bothSides } from "../media/all-or-abort.ts";
import { noDecoder, refuseBrokenRun, refuseFailedDecode } from "../media/decode-errors.ts";
import { framesIn, withGraphFile } from "../media/ffmpeg.ts";
import { Messages } from "../media/messages.ts";
import type { DecodeContext, ProbeContext } from "../media/probe-context.ts";
import { decodeLimits } from "../sandbox/limits.ts";
import { type Limits, Sandbox } from "../sandbox/sandbox.ts";
import {
  type ClipPart,
  type ClipVideo,
  clipArguments,
  decodeArguments,
  encodedFile,
  encoding,
} from "./clip-arguments.ts";
import { coloursOf, comparedColours } from "./colours.ts";
import { canEncode } from "./trial.ts";

/** Makes the clip of a frame from the frames around it. Throws a Failure. */
export async function makeClip(
  frame: number,
  parts: readonly ClipPart[],
  sources: Sources,
  context: ProbeContext,
): Promise<Clip> {
  const { ffmpeg } = context;
  if (ffmpeg === undefined) throw noDecoder("A clip needs");
  const wanted = parts.flatMap(({ frames }) => frames);
  const [part] = parts;
  if (part === undefined || !areAround(frame, wanted) || parts.length > MAX_CLIP_PARTS)
    throw notAround(frame);
  for (const each of parts) refuseOutside(each);
  const { plan } = part;
  const tagged = await bothSides(context.signal, (side, signal) =>
    coloursOf(sources[side], plan.tracks[side], { ...context, ffmpeg, signal }),
  );
  const colours = comparedColours(tagged, plan);
  const size = clipSize(plan.pairing);
  for (let count = wanted.length; count > 0; count = Math.floor(count / 2)) {
    const { first } = framesAround(frame - (wanted[0] ?? 0), count, wanted.length);
    const frames = wanted.slice(first, first + count);
    const kept = parts
      .map((each) => ({ ...each, frames: each.frames.filter((one) => frames.includes(one)) }))
      .filter((each) => each.frames.length > 0);
    const video = await encode({ parts: kept, sources, colours, size }, { ...context, ffmpeg });
    if (video.length > MAX_CLIP_BYTES) continue;
    return {
      frame,
      firstFrame: frames[0] ?? frame,
      frameCount: count,
      mediaType: "video/mp4",
      ...size,
      video,
    };
  }
  throw new Failure("MEDIA_TOO_LARGE", `A clip of one frame takes more than ${MAX_CLIP_BYTES} bytes.`);
}

/** Whether ffmpeg can encode clips (H.264 by libx264). */
export function canMakeClips(programs: Pick<ProbeContext, "ffmpeg" | "isolation">): Promise<boolean> {
  return canEncode(programs, [...encoding(), encodedFile]);
}

/** Returns the video, or more than MAX_CLIP_BYTES of one that is larger. Throws if a frame did not decode. */
async function encode(video: ClipVideo, { ffmpeg, isolation, signal }: DecodeContext): Promise<Uint8Array> {
  const { sources, parts } = video;
  const messages = new Messages();
  await using sandbox = Sandbox.open({ sources: SIDES.map((side) => sources[side]), isolation, signal });
  const limits = clipLimits(video);
  let written = 0;
  const exit = await sandbox.run({
    program: ffmpeg,
    ...withGraphFile(clipArguments(video)),
    limits,
    onStdout: (line) => {
      written = framesIn(line) ?? written;
    },
    onStderr: (line) => messages.read(line),
  });
  refuseBrokenRun(exit, messages);
  if (exit.code !== 0 || messages.concealment !== undefined || messages.sizeChange !== undefined) {
    throw await faultOf(video, sandbox, ffmpeg, limits, messages);
  }
  const bytes = await readFile(join(sandbox.directory, encodedFile));
  const wanted = parts.reduce((sum, { frames }) => sum + frames.length, 0);
  if (written < wanted && bytes.length <= MAX_CLIP_BYTES) {
    throw new Failure(
      "FRAME_COUNT_MISMATCH",
      `Only ${written} of the ${wanted} frames of the clip could be decoded from both videos.`,
    );
  }
  return bytes;
}

/** Finds the faulty side: the messages do not name it, so each side is decoded alone. */
async function faultOf(
  { parts, sources }: ClipVideo,
  sandbox: Sandbox,
  program: string,
  limits: Limits,
  found: Messages,
): Promise<Failure> {
  for (const side of SIDES) {
    for (const part of parts) {
      const messages = new Messages();
      const exit = await sandbox.run({
        program,
        ...withGraphFile(decodeArguments(part, sources, side)),
        limits,
        onStderr: (line) => messages.read(line),
      });
      refuseFailedDecode(sources[side], exit, messages);
    }
  }
  return new Failure("SCORER_FAILED", "The clip could not be encoded; the log has the encoder's messages.", {
    cause: found.text(),
  });
}

/** All decoders run in one program, with the encoder. */
function clipLimits({ parts, size }: ClipVideo): Limits {
  const decoders = parts.flatMap(({ plan }) => SIDES.map((side) => decodeLimits(plan.tracks[side])));
  const encoder = decodeLimits({ width: 2 * size.width, height: size.height });
  const memoryBytes = decoders.reduce((sum, limits) => sum + limits.memoryBytes, encoder.memoryBytes);
  return { ...encoder, memoryBytes, fileBytes: 2 * MAX_CLIP_BYTES + CLIP_PIECE_BYTES };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the compared size divided by the smallest whole number with which a video of both sides can be
 * played.
 */
function clipSize({ width, height }: Size): Size {
  for (let divisor = 1; ; divisor++) {
    const [across, down] = [width, height].map((pixels) => Math.max(1, Math.round(pixels / divisor)));
    const size = { width: across ?? 1, height: down ?? 1 };
    if (isPlayable(size)) return size;
  }
}

/** Whether the wanted frames are contiguous, not too many, and include the given one. */
function areAround(frame: number, wanted: readonly number[]): boolean {
  const [first = 0] = wanted;
  const follow = wanted.every((each, index) => Number.isInteger(each) && each === first + index);
  return follow && wanted.length <= MAX_CLIP_FRAMES && wanted.includes(frame);
}

function notAround(frame: number): Failure {
  return new Failure(
    "INVALID_REQUEST",
    `The frames of the clip are not 1 to ${MAX_CLIP_FRAMES} successive frames around frame ${frame}.`,
  );
}

function refuseOutside({ segment: { first, count }, frames }: ClipPart): void {
  const outside = frames.find((frame) => !(frame >= first && frame < first + count));
  if (outside === undefined) return;
  const detail = `Frame ${outside} is not in its segment of ${count} frames from frame ${first} on.`;
  throw new Failure("INVALID_REQUEST", detail);
}
