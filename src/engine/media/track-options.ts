/** The options with which ffmpeg opens a track so that it reads the same as probing did. */
import { COUNTING_RATE } from "./raw.ts";
import type { Track } from "./track.ts";

export const IGNORE_EDIT_LISTS: readonly string[] = ["-ignore_editlist", "1"];

/**
 * Returns the options that open a track as probing found it. They are derived from its facts alone: a plan
 * from another machine carries facts, never options.
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
