/** Options common to all runs of ffmpeg, such as the guards of its inputs. */

import type { Source } from "../files/source.ts";
import { type Command, inputName } from "../sandbox/sandbox.ts";
import { MAX_PIXELS } from "./pixels.ts";

/**
 * Containers that may be opened. Each has all of its data in one file. Playlists and manifests (hls, dash,
 * concat, imf, sdp …) read other files or the network and are excluded, as are image sequences and script
 * formats.
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

/** Options before every -i. */
export const GUARDS: readonly string[] = [
  ...["-protocol_whitelist", "file", "-format_whitelist", DEMUXERS, "-max_pixels", String(MAX_PIXELS)],
];

/** Refuses damaged data instead of guessing: decoders stop at errors that they would otherwise conceal. */
export const STRICT: readonly string[] = ["-err_detect", "crccheck+bitstream+buffer+explode"];

/** Options of every run: no interactive input, and the log has the level of each message. */
export function logging(level: "verbose" | "debug"): readonly string[] {
  return ["-nostdin", "-hide_banner", "-loglevel", `level+${level}`, "-nostats"];
}

export const QUIET: readonly string[] = logging("verbose");

/**
 * Options of an output: drop or duplicate no frame because of its time, and do not repeat the file's metadata in the
 * log.
 */
export const EVERY_FRAME: readonly string[] = ["-fps_mode", "passthrough", "-map_metadata", "-1"];

/** Returns "-i" and the file of a source under its fixed name. */
export function inputFile(source: Source): readonly string[] {
  return ["-i", `file:${inputName(source)}`];
}

/** Linux limits an argument to 128 KiB. */
const MAX_ARGUMENT = 120_000;

/**
 * Returns arguments, with a long filter graph in a file of the working directory. ffmpeg reads such files from
 * version 7 on. `name`: distinguishes programs that run at the same time.
 */
export function withGraphFile(args: readonly string[], name = ""): Pick<Command, "args" | "files"> {
  const at = args.indexOf("-filter_complex");
  const graph = args[at + 1] ?? "";
  if (at < 0 || graph.length <= MAX_ARGUMENT) return { args };
  const file = `graph${name}.txt`;
  return { args: args.with(at, "-/filter_complex").with(at + 1, file), files: { [file]: graph } };
}

/** Maps the first frame to the showinfo filter, which logs its properties. */
export const SHOW_FIRST_FRAME: readonly string[] = [
  ...["-map", "0:V:0", "-frames:v", "1", "-vf", "showinfo", "-map_metadata", "-1", "-f", "null", "-"],
];

/** Returns the number of frames done from a line of `-progress`; undefined if the line has another key. */
export function framesIn(line: string): number | undefined {
  return line.startsWith("frame=") ? Number(line.slice("frame=".length)) : undefined;
}
