/**
 * Decides how the samples of a track are converted to RGB: by its file's tags, or by its frame size if there are none.
 */

import { perSide, type Side } from "../contract/request.ts";
import type { Source } from "../files/source.ts";
import { refuseFailedDecode } from "../media/decode-errors.ts";
import { GUARDS, inputFile, QUIET, SHOW_FIRST_FRAME } from "../media/ffmpeg.ts";
import { Messages } from "../media/messages.ts";
import { isRgb } from "../media/pixels.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import type { Track } from "../media/track.ts";
import { trackOptions } from "../media/track-options.ts";
import type { Plan } from "../planning/plan.ts";
import { decodeLimits } from "../sandbox/limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";

/** Named as in ffmpeg's scale filter. */
export interface Colours {
  readonly matrix: string;
  readonly range: "tv" | "pc";
}

/** Names of matrices in showinfo → in scale, which supports only these. */
const MATRICES: Readonly<Record<string, string>> = {
  bt709: "bt709",
  fcc: "fcc",
  bt470bg: "bt470",
  smpte170m: "smpte170m",
  smpte240m: "smpte240m",
  bt2020nc: "bt2020",
};

/**
 * The value is the last text of the filter's call to the log: the text after it on the line can come from
 * another thread.
 */
const STATED = new RegExp(` color_space:(${Object.keys(MATRICES).join("|")})`);

/** Throws a Failure if the file does not decode. */
export async function coloursOf(source: Source, track: Track, context: DecodeContext): Promise<Colours> {
  // graph.ts converts RGB to this before the comparison.
  if (isRgb(track.pixels)) return { matrix: "bt709", range: "tv" };
  const range = track.pixels.fullByName || track.range === "full" ? "pc" : "tv";
  // y4m and raw video do not state a matrix.
  const stated = track.samples === undefined ? await statedMatrix(source, track, context) : "";
  return { range, matrix: MATRICES[stated] ?? usualMatrix(track) };
}

const STATED_MATRICES = { BT601: "smpte170m", BT709: "bt709", BT2020: "bt2020" } as const;

/**
 * Returns how the samples are converted after the comparison's own conversions, with the range and matrix that the
 * request states.
 */
export function comparedColours(
  tagged: Readonly<Record<Side, Colours>>,
  { request, pairing }: Pick<Plan, "request" | "pairing">,
): Readonly<Record<Side, Colours>> {
  const stated = perSide((side): Colours => {
    const [range, matrix] = [request.rangeOf?.[side], request.matrixOf?.[side]];
    return {
      range: range === undefined ? tagged[side].range : range === "FULL" ? "pc" : "tv",
      matrix: matrix === undefined ? tagged[side].matrix : STATED_MATRICES[matrix],
    };
  });
  const { recolour } = pairing;
  if (recolour === undefined) return stated;
  const { range, matrix } = stated.reference;
  const isMatrix = recolour.from.matrix !== recolour.to.matrix;
  const isRange = recolour.from.range !== recolour.to.range;
  const own = stated.distorted;
  return {
    reference: stated.reference,
    distorted: { range: isRange ? range : own.range, matrix: isMatrix ? matrix : own.matrix },
  };
}

/** Standard definition usually has BT.601's matrix, everything larger BT.709's. */
function usualMatrix({ width, height }: Track): string {
  return Math.min(width, height) >= 720 || Math.max(width, height) >= 1280 ? "bt709" : "smpte170m";
}

/** Returns showinfo's name of the matrix in one of its lines; undefined: none that scale supports. */
export function matrixIn(line: string): string | undefined {
  return line.startsWith("[Parsed_showinfo_0 @ ") ? STATED.exec(line)?.[1] : undefined;
}

/** Returns showinfo's name of the matrix of the first frame; empty if it states none that scale supports. */
async function statedMatrix(
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
      // ffmpeg prints the file's metadata, which could imitate this message, only before this line.
      if (line === "[info] Stream mapping:") matrix = "";
      matrix = matrixIn(line) ?? matrix;
    },
  });
  refuseFailedDecode(source, exit, messages);
  return matrix;
}
