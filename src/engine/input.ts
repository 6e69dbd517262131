/** How ffmpeg opens a side to score it: guarded, strict, and from the right moment. */
import { GUARDS, inputFile, STRICT } from "./ffmpeg.ts";
import type { Side } from "./request.ts";
import type { Run } from "./scorer.ts";

/** The options of a side's input and its file, for a segment or the whole. */
export function inputArguments({ tracks, sources, pairing, segment }: Run, side: Side): readonly string[] {
  const seek = segment.cut?.[side].seek;
  return [
    ...GUARDS,
    ...STRICT,
    // A change of size in mid-stream must not build the graph anew, which would scale it away.
    ...["-reinit_filter", "0"],
    pairing.turn.includes(side) ? "-autorotate" : "-noautorotate",
    ...tracks[side].inputOptions,
    ...(segment.cut ? ["-copyts", "-noaccurate_seek"] : []),
    ...(seek === undefined ? [] : ["-seek_timestamp", "1", "-ss", seek.toFixed(6)]),
    ...inputFile(sources[side]),
  ];
}
