/** Decodes some of the frames that are compared, through filters into raw video. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Side } from "../contract/request.ts";
import { refuseFailedDecode } from "../media/decode-errors.ts";
import { EVERY_FRAME, QUIET, withGraphFile } from "../media/ffmpeg.ts";
import { Messages } from "../media/messages.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import { decodeLimits } from "../sandbox/limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import type { Compared } from "./compared.ts";
import { decodedChain } from "./graph.ts";
import { inputArguments } from "./input.ts";

export interface WantedFrames {
  /**
   * Ascending numbers of compared frames, counted from the first one of the segment and its context; or a
   * number of frames, which begin with the first one.
   */
  readonly frames: readonly number[] | number;
  /** Filters after those of the comparison, before its scaling. */
  readonly filters: string;
  /** Bytes of a frame that the filters deliver. */
  readonly frameBytes: number;
}

const RAW_FILE = "frames.yuv";

/** Returns the frames one after another; fewer if the video ends. Throws MEDIA_CORRUPT and other failures of decoding. */
export async function decodeRaw(
  compared: Compared,
  side: Side,
  { frames, filters, frameBytes }: WantedFrames,
  { ffmpeg, isolation, signal }: DecodeContext,
): Promise<Buffer> {
  const { sources, tracks, pairing, segment } = compared;
  const [count, some] = typeof frames === "number" ? [frames, undefined] : [frames.length, frames];
  const chain = `${decodedChain(tracks[side], pairing, segment, some)},${filters}`;
  const messages = new Messages();
  await using sandbox = Sandbox.open({ sources: [sources[side]], isolation, signal });
  const exit = await sandbox.run({
    program: ffmpeg,
    ...withGraphFile([
      ...[...QUIET, "-xerror", ...inputArguments(compared, side)],
      ...["-filter_complex", `[0:V:0]${chain}[out]`, "-map", "[out]", "-frames:v", String(count)],
      ...[...EVERY_FRAME, "-f", "rawvideo", RAW_FILE],
    ]),
    limits: { ...decodeLimits(tracks[side]), fileBytes: count * frameBytes },
    onStderr: (line) => messages.read(line),
  });
  refuseFailedDecode(sources[side], exit, messages);
  return await readFile(join(sandbox.directory, RAW_FILE));
}
