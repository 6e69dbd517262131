/** The options with which ffmpeg opens a side: guards, strict decoding and the seek position. */

import type { Side } from "../contract/request.ts";
import type { Source } from "../files/source.ts";
import { GUARDS, inputFile, STRICT } from "../media/ffmpeg.ts";
import { seekOptions } from "../media/seek.ts";
import type { Track } from "../media/track.ts";
import { trackOptions } from "../media/track-options.ts";
import type { Cut } from "../planning/segment.ts";
import type { Compared } from "./compared.ts";

/** Returns the options of a side's input and its file, for a segment or the whole video. */
export function inputArguments(
  { tracks, sources, pairing, segment }: Compared,
  side: Side,
): readonly string[] {
  return sideInput(sources[side], tracks[side], {
    turned: pairing.turn.includes(side),
    cut: segment.cut?.[side],
  });
}

/**
 * Returns the options for one side. `turned`: whether it is rotated for display; `cut`: undefined decodes from the
 * beginning.
 */
function sideInput(
  source: Source,
  track: Track,
  { turned, cut }: { turned: boolean; cut: Cut | undefined },
): readonly string[] {
  return [
    ...GUARDS,
    ...STRICT,
    // A change of frame size in mid-stream must not rebuild the filter graph, which would hide it by scaling.
    ...["-reinit_filter", "0"],
    turned ? "-autorotate" : "-noautorotate",
    ...trackOptions(track),
    ...(cut ? ["-copyts", ...seekOptions(cut.seek)] : []),
    ...inputFile(source),
  ];
}
