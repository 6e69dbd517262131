/** Determines which codecs are decoded twice because their decoder can lose part of a picture without an error. */

import type { Source } from "../files/source.ts";
import { PROBE_LIMITS } from "../sandbox/limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { refuseFailedDecode } from "./decode-errors.ts";
import { GUARDS, inputFile, logging, SHOW_FIRST_FRAME } from "./ffmpeg.ts";
import { Messages } from "./messages.ts";
import type { ProbeContext } from "./probe-context.ts";

/**
 * Codecs whose ffmpeg decoders report every picture that they do not complete, or always write the whole picture.
 * Verified for each with seeded damage (docs/adr/0027-decode-twice.md). All other codecs are decoded twice.
 */
const SELF_CHECKING = new Set([
  ...["h264", "mpeg2video", "mpeg4", "h263", "flv1", "wmv2", "theora", "vp9", "av1"],
  ...["prores", "dnxhd", "mjpeg", "jpeg2000", "huffyuv", "utvideo"],
]);

/** Whether a track's decoder reports every picture that it does not complete. */
export async function isSelfChecking(source: Source, codec: string, context: ProbeContext): Promise<boolean> {
  return codec === "ffv1" ? hasSliceChecksums(source, context) : SELF_CHECKING.has(codec);
}

/** FFV1 can have a checksum in every slice ("ec"). Only debug messages of its first frame report whether it has. */
async function hasSliceChecksums(source: Source, context: ProbeContext): Promise<boolean> {
  if (context.ffmpeg === undefined) return false;
  const messages = new Messages();
  let checksums = false;
  await using sandbox = Sandbox.open({ ...context, sources: [source] });
  const exit = await sandbox.run({
    program: context.ffmpeg,
    args: [
      ...[...logging("debug"), ...GUARDS, "-debug", "pict", "-threads", "1", ...inputFile(source)],
      ...SHOW_FIRST_FRAME,
    ],
    limits: PROBE_LIMITS,
    onStderr: (line) => {
      messages.read(line);
      // ffmpeg prints the file's metadata, which could imitate this message, only before this line.
      if (line === "[info] Stream mapping:") checksums = false;
      const header = /^\[ffv1 @ \S+\] \[debug\] ver:\d+ .* ec:(\d) /.exec(line);
      if (header) checksums = header[1] !== "0";
    },
  });
  refuseFailedDecode(source, exit, messages);
  return checksums;
}
