/** What every run of ffmpeg here has in common: the guarded input, and its options. */
import { MAX_PIXELS } from "./pixels.ts";
import { inputName } from "./sandbox.ts";
import type { Source } from "./source.ts";

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

/** Options of every run: nothing is asked, and the log has each message's level. */
export function logging(level: "verbose" | "debug"): readonly string[] {
  return ["-nostdin", "-hide_banner", "-loglevel", `level+${level}`, "-nostats"];
}

export const QUIET: readonly string[] = logging("verbose");

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
