/** The options with which ffmpeg opens a side: guards, strict decoding and the seek position. */
import { GUARDS, inputFile, STRICT } from "./ffmpeg.ts";
import { COUNTING_RATE } from "./raw.ts";
import type { Side } from "./request.ts";
import type { Run } from "./scorer.ts";
import type { Track } from "./track.ts";

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

export const IGNORE_EDIT_LISTS: readonly string[] = ["-ignore_editlist", "1"];

/**
 * Returns the options that a track needs to be opened as what probing found. They are derived from its facts alone:
 * a plan from another machine carries facts, never options.
 */
export function trackOptions({
  samples,
  width,
  height,
  pixels,
  rate,
  ignoresEditList,
}: Track): readonly string[] {
  if (samples === "y4m") return ["-f", "yuv4mpegpipe"];
  if (samples === undefined) return ignoresEditList ? IGNORE_EDIT_LISTS : [];
  const { num, den } = rate ?? COUNTING_RATE;
  return [
    ...["-f", "rawvideo", "-video_size", `${width}x${height}`, "-pixel_format", pixels.name],
    ...["-framerate", `${num}/${den}`],
  ];
}
