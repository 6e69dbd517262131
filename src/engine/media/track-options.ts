/** The options with which ffmpeg opens a track as what probing found it to be. */
import { COUNTING_RATE } from "./raw.ts";
import type { Track } from "./track.ts";

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
