/** The options with which ffmpeg opens a side: guards, strict decoding and the seek position. */

import type { Side } from "../contract/request.ts";
import { GUARDS, inputFile, STRICT } from "../media/ffmpeg.ts";
import { trackOptions } from "../media/track-options.ts";
import type { Run } from "./run.ts";

/** Returns the options of a side's input and its file, for a segment or the whole video. */
export function inputArguments(
  { tracks, sources, pairing, segment }: Pick<Run, "tracks" | "sources" | "pairing" | "segment">,
  side: Side,
): readonly string[] {
  const seek = segment.cut?.[side].seek;
  return [
    ...GUARDS,
    ...STRICT,
    // A change of frame size in mid-stream must not rebuild the filter graph, which would hide it by scaling.
    ...["-reinit_filter", "0"],
    pairing.turn.includes(side) ? "-autorotate" : "-noautorotate",
    ...trackOptions(tracks[side]),
    ...(segment.cut ? ["-copyts", "-noaccurate_seek"] : []),
    ...(seek === undefined ? [] : ["-seek_timestamp", "1", "-ss", seek.toFixed(6)]),
    ...inputFile(sources[side]),
  ];
}
