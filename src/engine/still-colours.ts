/** How the samples of a track become red, green and blue: by what its file says, and by its size where it says nothing. */
import { refuseFailedDecode } from "./blame.ts";
import { GUARDS, inputFile, QUIET, SHOW_FIRST_FRAME } from "./ffmpeg.ts";
import { trackOptions } from "./input.ts";
import { decodeLimits } from "./limits.ts";
import { Messages } from "./messages.ts";
import { isRgb } from "./pixels.ts";
import type { DecodeContext } from "./probe.ts";
import { Sandbox } from "./sandbox.ts";
import type { Source } from "./source.ts";
import type { Track } from "./track.ts";

/** In the words of ffmpeg's scale filter. */
export interface Colours {
  readonly matrix: string;
  readonly range: "tv" | "pc";
}

/** What showinfo calls a matrix → what scale calls it. Others are none that it converts by. */
const MATRICES: Readonly<Record<string, string>> = {
  bt709: "bt709",
  fcc: "fcc",
  bt470bg: "bt470",
  smpte170m: "smpte170m",
  smpte240m: "smpte240m",
  bt2020nc: "bt2020",
};

/** Throws Failure when the file does not decode. */
export async function coloursOf(source: Source, track: Track, context: DecodeContext): Promise<Colours> {
  // What graph.ts makes of RGB before it compares.
  if (isRgb(track.pixels)) return { matrix: "bt709", range: "tv" };
  const range = track.pixels.fullByName || track.range === "full" ? "pc" : "tv";
  // Neither y4m nor raw video tells of a matrix.
  const told = track.samples === undefined ? await toldMatrix(source, track, context) : "";
  return { range, matrix: MATRICES[told] ?? usualMatrix(track) };
}

/** Standard definition has BT.601's matrix, everything larger BT.709's. */
function usualMatrix({ width, height }: Track): string {
  return Math.min(width, height) >= 720 || Math.max(width, height) >= 1280 ? "bt709" : "smpte170m";
}

/** The matrix of the first frame as showinfo names it; empty when it tells none. */
async function toldMatrix(
  source: Source,
  track: Track,
  { ffmpeg, isolation, signal }: DecodeContext,
): Promise<string> {
  const messages = new Messages();
  let matrix = "";
  await using sandbox = Sandbox.open({ sources: [source], isolation, signal });
  const exit = await sandbox.run({
    program: ffmpeg,
    args: [
      ...[...QUIET, ...GUARDS, ...trackOptions(track), "-threads", "1", "-noautorotate"],
      ...inputFile(source),
      ...SHOW_FIRST_FRAME,
    ],
    limits: decodeLimits(track),
    onStderr: (line) => {
      messages.read(line);
      // What a file's own metadata imitates is printed before this line.
      if (line === "[info] Stream mapping:") matrix = "";
      if (line.startsWith("[Parsed_showinfo_0 @ ")) matrix = / color_space:(\w+)/.exec(line)?.[1] ?? matrix;
    },
  });
  refuseFailedDecode(source, exit, messages);
  return matrix;
}
