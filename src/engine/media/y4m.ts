/**
 * Reads the header of a y4m file and finds its frames without reading the samples. The format is mjpegtools'
 * yuv4mpeg(5): a header line of tagged parameters, then per frame a line "FRAME[ parameters]" and the planes.
 */
import { Failure } from "../../platform/failure.ts";
import { quote, type Source } from "../files/source.ts";
import { throwIfAborted } from "../sandbox/sandbox.ts";
import { frameBytes, MAX_PIXELS, type PixelFormat, pixelFormat } from "./pixels.ts";
import { parseRational, type Rational } from "./rational.ts";
import { framesText, refuseTooMany, type Track } from "./track.ts";

const MAGIC = "YUV4MPEG2 ";
/** Limit of a header or frame line; real ones have under 100 characters. */
const MAX_LINE = 1024;

interface Header {
  readonly length: number;
  readonly width: number;
  readonly height: number;
  readonly sampleAspect: Rational | undefined;
  readonly rate: Rational | undefined;
  readonly pixels: PixelFormat;
  readonly range: "limited" | "full" | "";
  readonly straight: boolean;
}

/**
 * Layouts that every release of vmaf reads sample for sample. Some releases shift the chroma of 420mpeg2, 420paldv and
 * 422 with a filter, and reject 12 bits and interlaced video.
 */
const STRAIGHT_LAYOUT = /^(420|420jpeg|444|420p10|444p10)$/;

export async function isY4m(source: Source): Promise<boolean> {
  return (await readAt(source, 0, MAGIC.length)).toString("latin1") === MAGIC;
}

export async function probeY4m(source: Source, signal: AbortSignal): Promise<Track> {
  const header = await readHeader(source);
  const frames = await countFrames(source, header, signal);
  return {
    side: source.side,
    container: "y4m",
    codec: "rawvideo",
    width: header.width,
    height: header.height,
    sampleAspect: header.sampleAspect,
    pixels: header.pixels,
    range: header.range,
    transfer: undefined,
    primaries: undefined,
    rotation: 0,
    rate: header.rate,
    frames,
    hidden: 0,
    videoBytes: frames * frameBytes(header.pixels, header.width, header.height),
    times: header.rate && evenTimes(header.rate, frames),
    uncuttable: header.rate ? undefined : "the y4m header states no frame rate",
    ignoresEditList: false,
    samples: "y4m",
    selfChecking: true,
    straight: header.straight,
    warnings: [],
  };
}

/** Returns the times of frames at a constant rate. Every frame is a key frame. */
export function evenTimes(rate: Rational, frames: number): Track["times"] {
  const pts = new Float64Array(frames);
  for (let frame = 0; frame < frames; frame++) pts[frame] = frame;
  return { timeBase: { num: rate.den, den: rate.num }, pts, keys: pts, frameBytes: 0 };
}

/** Throws a Failure for an invalid header or an unsupported layout. */
export async function readHeader(source: Source): Promise<Header> {
  return parseHeader(source, await readAt(source, 0, MAX_LINE));
}

function parseHeader(source: Source, bytes: Buffer): Header {
  const length = bytes.indexOf(0x0a) + 1;
  const tags = new Map(
    bytes
      .toString("latin1", MAGIC.length, Math.max(length - 1, 0))
      .split(" ")
      .filter((word) => word !== "")
      .map((word) => [word.startsWith("XCOLORRANGE=") ? "range" : word.slice(0, 1), word] as const),
  );
  const width = wholeNumber(tags.get("W"));
  const height = wholeNumber(tags.get("H"));
  if (
    length === 0 ||
    !(Number.isSafeInteger(width) && width > 0 && Number.isSafeInteger(height) && height > 0)
  ) {
    throw new Failure(
      "MEDIA_CORRUPT",
      `The ${source.side} file ${quote(source.asked)} has a damaged y4m header.`,
    );
  }
  if (width * height > MAX_PIXELS) {
    throw new Failure(
      "MEDIA_TOO_LARGE",
      `The ${source.side} file ${quote(source.asked)} has frames of ${width}x${height}; at most ${MAX_PIXELS} pixels per frame can be scored.`,
      { found: { [source.side]: { width, height } } },
    );
  }
  const layout = tags.get("C")?.slice(1) ?? "420jpeg";
  const pixels = layoutFormat(layout);
  if (!pixels) {
    throw new Failure(
      "PIXEL_FORMAT_UNSUPPORTED",
      `The ${source.side} file ${quote(source.asked)} has the y4m layout ${quote(layout)}. Only 420, 422 and 444 with 8 to 16 bits can be scored.`,
    );
  }
  const range = tags.get("range");
  return {
    length,
    width,
    height,
    sampleAspect: parseRational(tags.get("A")?.slice(1) ?? ""),
    rate: parseRational(tags.get("F")?.slice(1) ?? ""),
    pixels,
    straight: STRAIGHT_LAYOUT.test(layout) && /^(Ip|I\?)?$/.test(tags.get("I") ?? ""),
    range: range === "XCOLORRANGE=FULL" ? "full" : range === "XCOLORRANGE=LIMITED" ? "limited" : "",
  };
}

/** Parses the number after a tag's letter, digits only; NaN if it is not one. */
function wholeNumber(tag: string | undefined): number {
  return tag !== undefined && /^.\d{1,9}$/.test(tag) ? Number(tag.slice(1)) : Number.NaN;
}

/** Maps 420, 420jpeg, 420mpeg2, 420paldv, 422, 444 and their deeper forms (420p10 …) to a pixel format. */
function layoutFormat(layout: string): PixelFormat | undefined {
  const match = /^(420|422|444)(?:jpeg|mpeg2|paldv)?(?:p(9|10|12|14|16))?$/.exec(layout);
  return match ? pixelFormat(`yuv${match[1]}p${match[2] ? `${match[2]}le` : ""}`) : undefined;
}

/** Counts frames by stepping from frame line to frame line; a truncated last frame is an error. */
async function countFrames(source: Source, header: Header, signal: AbortSignal): Promise<number> {
  const size = frameBytes(header.pixels, header.width, header.height);
  const lines = new FrameLines(source, size);
  let offset = header.length;
  let frames = 0;
  while (offset < source.size) {
    const line = await lines.lengthAt(offset);
    if (line === undefined || offset + line + size > source.size) throw broken(source, line, frames);
    offset += line + size;
    refuseTooMany(++frames);
    if (frames % 1024 === 0) throwIfAborted(signal);
  }
  if (frames > 0) return frames;
  throw new Failure(
    "MEDIA_NO_FRAMES",
    `The ${source.side} file ${quote(source.asked)} has a y4m header but no frame.`,
    { found: { [source.side]: { frames: 0 } } },
  );
}

/** Reads the frame lines: for large frames nothing else, for small ones many lines per read. */
class FrameLines {
  readonly #source: Source;
  readonly #readBytes: number;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(source: Source, frameSize: number) {
    this.#source = source;
    this.#readBytes = frameSize < 16 * 1024 ? 64 * 1024 : MAX_LINE;
  }

  /** Returns the length of the frame line at an offset in bytes; undefined if there is none. */
  async lengthAt(offset: number): Promise<number | undefined> {
    const inside = offset >= this.#start && offset + MAX_LINE <= this.#start + this.#bytes.length;
    if (!inside) {
      this.#start = offset;
      this.#bytes = await readAt(this.#source, offset, this.#readBytes);
    }
    const at = offset - this.#start;
    if (this.#bytes.toString("latin1", at, at + 5) !== "FRAME") return undefined;
    const end = this.#bytes.indexOf(0x0a, at);
    const length = end - at + 1;
    const parameters = this.#bytes[at + 5];
    return end < 0 || length > MAX_LINE || (length > 6 && parameters !== 0x20) ? undefined : length;
  }
}

function broken(source: Source, line: number | undefined, frames: number): Failure {
  const [code, what] =
    line === undefined
      ? (["MEDIA_CORRUPT", "is damaged: a frame does not begin at its expected position,"] as const)
      : (["MEDIA_TRUNCATED", "is truncated: it ends in the middle of a frame,"] as const);
  return new Failure(
    code,
    `The ${source.side} file ${quote(source.asked)} ${what} after ${framesText(frames, "whole ")}.`,
    {
      found: { [source.side]: { frames, sizeBytes: source.size } },
    },
  );
}

async function readAt(source: Source, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await source.handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
