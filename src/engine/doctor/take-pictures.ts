/** Takes small pictures of a side's frames. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Source } from "../files/source.ts";
import { refuseFailedDecode } from "../media/decode-errors.ts";
import { EVERY_FRAME, QUIET } from "../media/ffmpeg.ts";
import { Messages } from "../media/messages.ts";
import { PICTURE_BYTES, Pictures, SHRINK } from "../media/pictures.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import type { Track } from "../media/track.ts";
import { decodeLimits } from "../sandbox/limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { untagged } from "../scoring/graph.ts";
import { sideInput } from "../scoring/input.ts";

/**
 * Decodes the first frames of a side and takes a picture of each, in presentation order; fewer than `count` if the video
 * ends. `turned`: rotate them for display. Throws MEDIA_CORRUPT and other failures of decoding.
 */
export async function takePictures(
  source: Source,
  track: Track,
  { count, turned }: { count: number; turned: boolean },
  { ffmpeg, isolation, signal }: DecodeContext,
): Promise<Pictures> {
  const messages = new Messages();
  await using sandbox = Sandbox.open({ sources: [source], isolation, signal });
  const chain = `${untagged(track).join(",")},${SHRINK}`;
  const exit = await sandbox.run({
    program: ffmpeg,
    args: [
      ...[...QUIET, "-xerror", ...sideInput(source, track, { turned, cut: undefined })],
      ...["-filter_complex", `[0:V:0]${chain}[out]`, "-map", "[out]", "-frames:v", String(count)],
      ...[...EVERY_FRAME, "-f", "rawvideo", PICTURES_FILE],
    ],
    limits: { ...decodeLimits(track), fileBytes: count * PICTURE_BYTES },
    onStderr: (line) => messages.read(line),
  });
  refuseFailedDecode(source, exit, messages);
  return new Pictures(await readFile(join(sandbox.directory, PICTURES_FILE)));
}

const PICTURES_FILE = "pictures.yuv";
