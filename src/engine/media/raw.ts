/**
 * Headerless .yuv files. The geometry comes from the request or from the file's name, and is verified against the
 * file's size, which must be a whole number of frames.
 */
import { Failure } from "../../platform/failure.ts";
import type { RawVideo } from "../contract/request.ts";
import type { Warning } from "../contract/result.ts";
import { quote, type Source } from "../files/source.ts";
import { frameBytes, MAX_PIXELS, type PixelFormat, pixelFormat } from "./pixels.ts";
import { parseRational, type Rational } from "./rational.ts";
import { refuseTooMany, type Track } from "./track.ts";
import { evenTimes } from "./y4m.ts";

interface Geometry {
  readonly width: number;
  readonly height: number;
  readonly pixels: PixelFormat;
  readonly rate: Rational | undefined;
  readonly warnings: readonly Warning[];
}

/** The frame rate that ffmpeg is given for raw video of unknown rate: it needs one to number the frames. */
export const COUNTING_RATE: Rational = { num: 25, den: 1 };

export function isRaw(source: Source): boolean {
  return source.extension === "yuv";
}

export function probeRaw(source: Source, rawVideo: RawVideo | undefined): Track {
  const { width, height, pixels, rate, warnings } = rawVideo
    ? fromRequest(source, rawVideo)
    : fromName(source);
  if (width * height > MAX_PIXELS) {
    throw new Failure(
      "MEDIA_TOO_LARGE",
      `The ${source.side} file ${quote(source.asked)} has frames of ${width}x${height}; at most ${MAX_PIXELS} pixels per frame can be scored.`,
    );
  }
  const size = frameBytes(pixels, width, height);
  if (source.size % size !== 0) {
    throw new Failure(
      "RAW_GEOMETRY_MISMATCH",
      `The ${source.side} file ${quote(source.asked)} has ${source.size} bytes, which is not a whole number of ${width}x${height} ${pixels.name} frames of ${size} bytes. Give its true geometry, or use the complete file.`,
      {
        found: {
          [source.side]: {
            sizeBytes: source.size,
            frameBytes: size,
            width,
            height,
            pixelFormat: pixels.name,
          },
        },
      },
    );
  }
  const frames = source.size / size;
  refuseTooMany(frames);
  return {
    side: source.side,
    container: "yuv",
    codec: "rawvideo",
    width,
    height,
    sampleAspect: undefined,
    pixels,
    range: "",
    transfer: undefined,
    primaries: undefined,
    rotation: 0,
    rate,
    frames,
    hidden: 0,
    videoBytes: source.size,
    times: evenTimes(rate ?? COUNTING_RATE, frames),
    uncuttable: undefined,
    ignoresEditList: false,
    samples: "raw",
    selfChecking: true,
    straight: true,
    warnings,
  };
}

function fromRequest(source: Source, raw: RawVideo): Geometry {
  const pixels = planarFormat(source, raw.pixelFormat === "" ? "yuv420p" : raw.pixelFormat);
  const rate = raw.frameRate ? parseRational(raw.frameRate) : undefined;
  if (raw.frameRate && !rate) {
    throw new Failure(
      "INVALID_REQUEST",
      `rawVideo.frameRate ${quote(raw.frameRate)} is not a rate such as 25 or 30000/1001.`,
    );
  }
  return { width: raw.width, height: raw.height, pixels, rate, warnings: [] };
}

/** Formats that a raw file can have: planar YUV, little-endian. */
export const RAW_FORMAT = /^yuv4(20|22|44)p(?:(9|1[0246])le)?$/;

function planarFormat(source: Source, name: string): PixelFormat {
  const named = /^(yuv4\d\dp(?:9|1[0246]))$/.test(name) ? `${name}le` : name;
  const pixels = RAW_FORMAT.test(named) ? pixelFormat(named) : undefined;
  if (pixels) return pixels;
  throw new Failure(
    "PIXEL_FORMAT_UNSUPPORTED",
    `The ${source.side} .yuv file cannot be read as ${quote(name)}. Use yuv420p, yuv422p or yuv444p; for more than 8 bits, for example yuv420p10le.`,
  );
}

/** Parses names such as clip_576x324.yuv, clip_1920x1080_10bit_422_25fps.yuv, clip_1920x1080_yuv420p10le.yuv. */
function fromName(source: Source): Geometry {
  const name = source.fileName;
  const size = /(?:^|[^0-9])(\d{1,5})x(\d{1,5})(?=[^0-9])/.exec(name);
  if (!size || Number(size[1]) === 0 || Number(size[2]) === 0) {
    throw new Failure(
      "RAW_GEOMETRY_MISSING",
      `The ${source.side} file ${quote(source.asked)} is headerless .yuv: give its rawVideo geometry (width, height, pixelFormat), or name it like clip_576x324.yuv.`,
    );
  }
  const width = Number(size[1]);
  const height = Number(size[2]);
  const pixels = planarFormat(source, formatFromName(source, name));
  const fps = /[_-](\d{1,3}(?:\.\d{1,3})?)fps/i.exec(name)?.[1];
  const warning: Warning = {
    code: "RAW_GEOMETRY_FROM_NAME",
    message: `The ${source.side} file's geometry, ${width}x${height} ${pixels.name}, was read from its name; its size is a whole number of such frames.`,
  };
  return { width, height, pixels, rate: fps ? parseRational(fps) : undefined, warnings: [warning] };
}

/** Layouts in file names that are not planar YUV. */
const OTHER_LAYOUT = /(?:^|[^a-z])(?:nv1[26]|nv2[014]|p01[026]|p[24]1[026]|yuyv|uyvy|rgb|bgr|gr[ae]y|v210)/i;

/** Finds yuv420p10le, 420p10, or separate words such as 422 and 10bit. The default is 8-bit 4:2:0. */
function formatFromName(source: Source, name: string): string {
  const other = OTHER_LAYOUT.exec(name)?.[0];
  if (other) {
    throw new Failure(
      "RAW_GEOMETRY_MISSING",
      `The ${source.side} file's name contains ${quote(other.replace(/^[^a-z]/i, ""))}, a layout that cannot be taken from a name. Give its rawVideo geometry.`,
    );
  }
  const allOrAbort = /(?:yuv)?(420|422|444)p(9|1[0246])?(?:le)?(?=[^0-9a-z])/i.exec(name);
  const chroma = allOrAbort?.[1] ?? /[_-](420|422|444)(?=[^0-9])/.exec(name)?.[1] ?? "420";
  const separate = /[_-](8|9|10|12|14|16)[_-]?b(?:its?|pp|pc)?(?=[^0-9a-z])/i.exec(name)?.[1];
  const bits = allOrAbort?.[2] ?? separate ?? "8";
  return bits === "8" ? `yuv${chroma}p` : `yuv${chroma}p${bits}le`;
}
