/** Takes the luma of a few frames at their full size. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Source } from "../files/source.ts";
import { refuseFailedDecode } from "../media/decode-errors.ts";
import { EVERY_FRAME, QUIET } from "../media/ffmpeg.ts";
import { Messages } from "../media/messages.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import type { Track } from "../media/track.ts";
import { decodeLimits } from "../sandbox/limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { untagged } from "../scoring/graph.ts";
import { sideInput } from "../scoring/input.ts";
import { type Plane, plane } from "./space/plane.ts";

/** Samples of 8 bits in the range in which they are stored. */
const LUMA_ONLY = "scale=in_range=tv:out_range=tv:sws_dither=none,format=gray";
const FRAMES_FILE = "frames.y";

/** Decodes a side up to the last of some frames, in ascending order, and returns the luma of each. Throws a Failure. */
export async function takeFrames(
  source: Source,
  track: Track,
  { numbers, turned }: { numbers: readonly number[]; turned: boolean },
  { ffmpeg, isolation, signal }: DecodeContext,
): Promise<readonly Plane[]> {
  if (numbers.length === 0) return [];
  const isSideways = turned && track.rotation % 180 === 90;
  const [width, height] = isSideways ? [track.height, track.width] : [track.width, track.height];
  const messages = new Messages();
  await using sandbox = Sandbox.open({ sources: [source], isolation, signal });
  const pick = `select=${numbers.map((frame) => `eq(n\\,${frame})`).join("+")}`;
  const chain = `${pick},${untagged(track).join(",")},${LUMA_ONLY}`;
  const exit = await sandbox.run({
    program: ffmpeg,
    args: [
      ...[...QUIET, "-xerror", ...sideInput(source, track, { turned, cut: undefined })],
      ...["-filter_complex", `[0:V:0]${chain}[out]`, "-map", "[out]"],
      ...["-frames:v", String(numbers.length), ...EVERY_FRAME, "-f", "rawvideo", FRAMES_FILE],
    ],
    limits: { ...decodeLimits(track), fileBytes: numbers.length * width * height },
    onStderr: (line) => messages.read(line),
  });
  refuseFailedDecode(source, exit, messages);
  const bytes = await readFile(join(sandbox.directory, FRAMES_FILE));
  const size = width * height;
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, index) =>
    plane(bytes.subarray(index * size, (index + 1) * size), width, height),
  );
}
