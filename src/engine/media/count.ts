/** Counts the frames that really decode, if the container's count is not reliable enough. */
import { Failure } from "../../platform/failure.ts";
import type { Source } from "../files/source.ts";
import { decodeLimits } from "../sandbox/limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { decodeFailure, refuseFailedDecode } from "./decode-errors.ts";
import { EVERY_FRAME, framesIn, GUARDS, inputFile, QUIET, STRICT } from "./ffmpeg.ts";
import { Messages } from "./messages.ts";
import type { ProbeContext } from "./probe-context.ts";
import type { Track } from "./track.ts";
import { trackOptions } from "./track-options.ts";

/** Returns the track with the number of frames that decode; y4m and raw frames were counted by probing. */
export async function countFrames(source: Source, track: Track, context: ProbeContext): Promise<Track> {
  if (track.samples !== undefined || context.ffmpeg === undefined) return track;
  const messages = new Messages();
  let frames: number | undefined;
  await using sandbox = Sandbox.open({ ...context, sources: [source] });
  const exit = await sandbox.run({
    program: context.ffmpeg,
    args: [
      ...[...QUIET, "-progress", "pipe:1", "-xerror", ...GUARDS, ...STRICT, "-noautorotate"],
      ...[...trackOptions(track), ...inputFile(source)],
      ...["-map", "0:V:0", ...EVERY_FRAME, "-f", "null", "-"],
    ],
    limits: decodeLimits(track),
    onStdout: (line) => {
      frames = framesIn(line) ?? frames;
    },
    onStderr: (line) => messages.read(line),
  });
  refuseFailedDecode(source, exit, messages);
  // A program that reported no progress has counted no frames.
  if (frames === undefined) throw decodeFailure(source, exit, messages);
  if (frames === 0) throw new Failure("MEDIA_NO_FRAMES", `No frame of the ${source.side} video decodes.`);
  const reason = "its container and its decoder count different numbers of frames";
  return frames === track.frames ? track : { ...track, frames, times: undefined, uncuttable: reason };
}
