/** Decodes frames of a side through filters into raw video. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Side } from "../contract/request.ts";
import type { Source } from "../files/source.ts";
import { refuseFailedDecode } from "../media/decode-errors.ts";
import { EVERY_FRAME, QUIET } from "../media/ffmpeg.ts";
import { Messages } from "../media/messages.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import type { Track } from "../media/track.ts";
import { decodeLimits } from "../sandbox/limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { pick, untagged } from "../scoring/graph.ts";
import { sideInput } from "../scoring/input.ts";

export interface WantedFrames {
  /** Numbers in ascending order, or how many from the first on. */
  readonly frames: readonly number[] | number;
  /** Filters after the frames' tags are removed. */
  readonly filters: string;
  /** Bytes of a frame that the filters deliver. */
  readonly frameBytes: number;
  /** Sides that are rotated for display. */
  readonly turned: readonly Side[];
}

const RAW_FILE = "frames.yuv";

/** Returns the frames one after another; fewer if the video ends. Throws MEDIA_CORRUPT and other failures of decoding. */
export async function decodeRaw(
  source: Source,
  track: Track,
  { frames, filters, frameBytes, turned }: WantedFrames,
  { ffmpeg, isolation, signal }: DecodeContext,
): Promise<Buffer> {
  const [count, picked] = typeof frames === "number" ? [frames, []] : [frames.length, pick(frames)];
  const messages = new Messages();
  await using sandbox = Sandbox.open({ sources: [source], isolation, signal });
  const chain = [...picked, ...untagged(track), filters].join(",");
  const exit = await sandbox.run({
    program: ffmpeg,
    args: [
      ...[...QUIET, "-xerror"],
      ...sideInput(source, track, { turned: turned.includes(track.side), cut: undefined }),
      ...["-filter_complex", `[0:V:0]${chain}[out]`, "-map", "[out]", "-frames:v", String(count)],
      ...[...EVERY_FRAME, "-f", "rawvideo", RAW_FILE],
    ],
    limits: { ...decodeLimits(track), fileBytes: count * frameBytes },
    onStderr: (line) => messages.read(line),
  });
  refuseFailedDecode(source, exit, messages);
  return readFile(join(sandbox.directory, RAW_FILE));
}
