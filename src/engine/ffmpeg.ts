/** What every run of ffmpeg here has in common: the guarded input, and reading its messages. */
import { Failure } from "../platform/failure.ts";
import { MAX_PIXELS } from "./pixels.ts";
import { type Exit, inputName } from "./sandbox.ts";
import { quote, type Source } from "./source.ts";

/**
 * Containers that may be opened. Every one carries its data in the one file: play
 * lists and manifests (hls, dash, concat, imf, sdp …) read other files or the network
 * and are not here, nor are image sequences and script formats.
 */
const DEMUXERS = [
  "mov,mp4,m4a,3gp,3g2,mj2",
  "matroska,webm",
  ...[
    "mpegts",
    "mpeg",
    "mpegvideo",
    "m4v",
    "avi",
    "flv",
    "live_flv",
    "kux",
    "ogg",
    "asf",
    "mxf",
    "gxf",
    "nut",
  ],
  ...[
    "ivf",
    "h264",
    "hevc",
    "vvc",
    "evc",
    "obu",
    "av1",
    "vc1",
    "vc1test",
    "dirac",
    "dv",
    "dnxhd",
    "mjpeg",
    "h263",
  ],
  ...["rm", "wtv", "avs2", "avs3", "cavsvideo", "yuv4mpegpipe", "rawvideo"],
].join(",");

/** Options in front of every -i. */
export const GUARDS: readonly string[] = [
  ...["-protocol_whitelist", "file", "-format_whitelist", DEMUXERS, "-max_pixels", String(MAX_PIXELS)],
];

/** Refuse what is damaged instead of guessing: decoders stop at an error that they would conceal. */
export const STRICT: readonly string[] = ["-err_detect", "crccheck+bitstream+buffer+explode"];

export const QUIET: readonly string[] = [
  "-nostdin",
  "-hide_banner",
  "-loglevel",
  "level+verbose",
  "-nostats",
];

/** Options of an output: no frame is dropped or doubled for its time, and the file's metadata is not repeated in the log. */
export const EVERY_FRAME: readonly string[] = ["-fps_mode", "passthrough", "-map_metadata", "-1"];

/** "-i" with the file of a source under its fixed name. */
export function inputFile(source: Source): readonly string[] {
  return ["-i", `file:${inputName(source)}`];
}

/** Maps the first frame to a filter that tells of it in the log. */
export const SHOW_FIRST_FRAME: readonly string[] = [
  ...["-map", "0:V:0", "-frames:v", "1", "-vf", "showinfo", "-map_metadata", "-1", "-f", "null", "-"],
];

/** Frames that have passed, as a line of `-progress` tells them; undefined: it tells of something else. */
export function framesIn(line: string): number | undefined {
  return line.startsWith("frame=") ? Number(line.slice("frame=".length)) : undefined;
}

/** The last messages of a run, for what went wrong in it. */
export class Messages {
  readonly #errors: string[] = [];
  #sizeChange: string | undefined;

  /** Takes a line of ffmpeg's log ("[context] [level] text"). */
  read(line: string): void {
    // A file's own metadata could imitate a change of size, but is printed before this line only.
    if (line === "[info] Stream mapping:") this.#sizeChange = undefined;
    const match = /^((?:\[[^\]]*\] )*?)\[(warning|error|fatal|panic)\] (.*)$/.exec(line);
    if (!match) return;
    const message = `${match[1] ?? ""}${match[3] ?? ""}`;
    // Nothing but this message tells of it, so it is kept however many others come.
    if (SIZE_CHANGES.pattern.test(message)) this.#sizeChange ??= message;
    this.#errors.push(message);
    if (this.#errors.length > 200) this.#errors.splice(100, 1);
  }

  /** The first message of a frame of another size or format. */
  get sizeChange(): string | undefined {
    return this.#sizeChange;
  }

  some(pattern: RegExp): boolean {
    return this.#errors.some((line) => pattern.test(line));
  }

  /** The first message, which names the cause; those after it are mostly its consequences. */
  first(pattern = /./): string | undefined {
    return this.#errors.find((line) => pattern.test(line));
  }

  /** All that is kept, for the log. */
  text(): string {
    return this.#errors.join("\n");
  }
}

export interface Sign {
  readonly pattern: RegExp;
  readonly code: Failure["code"];
  readonly what: string;
}

/** A frame of another size or format than the first (tags of colour may change: they are not looked at). */
export const SIZE_CHANGES: Sign = {
  pattern: /filter context - w: (\d+) h: (\d+) fmt: (-?\d+) .*incoming frame - w: (?!\1 h: \2 fmt: \3 )/,
  code: "FRAME_SIZE_CHANGES",
  what: "changes its frame size or pixel format in the middle",
};

/** ffmpeg's words for what is wrong with a file, the most telling first. */
const SIGNS: readonly Sign[] = [
  SIZE_CHANGES,
  {
    pattern: /exceeds specified max pixel count|Picture size .* is invalid/,
    code: "MEDIA_TOO_LARGE",
    what: `has frames of more than ${MAX_PIXELS} pixels (8192x4320)`,
  },
  {
    pattern: /Cannot allocate memory/,
    code: "MEDIA_TOO_LARGE",
    what: "needs more memory than a score may use",
  },
  {
    pattern: /not on whitelist/,
    code: "MEDIA_UNSUPPORTED",
    what: "is a play list, a manifest or another kind of file that is not a single video container",
  },
  {
    // Only its name speaks for the format, nothing inside does.
    pattern: /misdetection possible/,
    code: "MEDIA_UNSUPPORTED",
    what: "is not a video container that svc can read",
  },
  { pattern: /matches no streams/, code: "MEDIA_NO_VIDEO", what: "has no video track" },
  {
    pattern: /moov atom not found/,
    code: "MEDIA_TRUNCATED",
    what: "is no complete MP4: its index (moov) is missing",
  },
  {
    pattern: /Error opening input/,
    code: "MEDIA_UNSUPPORTED",
    what: "is not a video container that svc can read",
  },
  {
    pattern: /no decoder found|Decoder .* not found|codec none|unknown codec/i,
    code: "MEDIA_UNSUPPORTED",
    what: "has a codec that the decoder does not know",
  },
  {
    pattern: /partial file|truncated|File ended prematurely/i,
    code: "MEDIA_TRUNCATED",
    what: "is cut off",
  },
];
const DAMAGED: Sign = {
  pattern: /./,
  code: "MEDIA_CORRUPT",
  what: "is damaged: it does not decode without errors",
};

/** A program that was killed, or never ran, says nothing about the media. */
export function refuseBrokenRun(exit: Exit, messages: Messages): void {
  if (exit.signal !== undefined) throw killed(exit.signal, messages);
  // What /bin/sh ends with when a program cannot be run.
  if (exit.code !== 126 && exit.code !== 127) return;
  throw new Failure("SCORER_FAILED", "The decoder could not be run; the log has the reason.", {
    found: { exitCode: exit.code },
    cause: messages.text(),
  });
}

export function killed(signal: NodeJS.Signals, messages: Messages): Failure {
  const why =
    signal === "SIGXCPU"
      ? "used up its CPU time"
      : signal === "SIGXFSZ"
        ? "wrote too much"
        : `was ended by ${signal}`;
  return new Failure("SCORER_FAILED", `The scorer ${why}.`, { found: { signal }, cause: messages.text() });
}

/** Why a file could not be opened or probed. */
export function openFailure(source: Source, messages: Messages): Failure {
  return blame(source, SIGNS.find(({ pattern }) => messages.some(pattern)) ?? DAMAGED, messages);
}

/** Why a file could not be decoded to its end. */
export function decodeFailure(source: Source, messages: Messages): Failure {
  const sign = SIGNS.find(({ pattern, code }) => code !== "MEDIA_UNSUPPORTED" && messages.some(pattern));
  return blame(source, sign ?? DAMAGED, messages);
}

/** Fails a file for what a message says of it. */
export function blame(
  { side, asked }: Pick<Source, "side" | "asked">,
  { pattern, code, what }: Sign,
  messages: Messages,
): Failure {
  const said = messages.first(pattern === DAMAGED.pattern ? TELLING : pattern);
  const quoted =
    said === undefined
      ? ""
      : ` The decoder says: ${quote(said.replace(/ @ 0x[0-9a-f]+/g, "").slice(0, 200))}.`;
  return new Failure(code, `The ${side} file ${quote(asked)} ${what}.${quoted}`, {
    found: { side },
    cause: messages.text(),
  });
}

/** ffmpeg's guesses about a format that it then does not use. */
const TELLING = /^(?!.*(?:misdetection|Not detecting))/;
