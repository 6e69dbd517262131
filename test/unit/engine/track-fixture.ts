/** Tracks for tests of rules that work on probed facts; nothing is decoded. */
import { pixelFormat } from "../../../src/engine/media/pixels.ts";
import type { Track } from "../../../src/engine/media/track.ts";

/** A 1280x720 MP4 track of 100 frames at 25 per second with a key frame every 25. */
export function track(side: Track["side"], over: Partial<Track> & { pixelFormat?: string } = {}): Track {
  const { pixelFormat: format = "yuv420p", ...rest } = over;
  const pixels = pixelFormat(format);
  if (!pixels) throw new Error(`${format} is not a pixel format`);
  const frames = rest.frames ?? 100;
  return {
    side,
    container: "mp4",
    codec: "h264",
    encoder: "Lavc61.3.100 libx264",
    width: 1280,
    height: 720,
    sampleAspect: undefined,
    pixels,
    range: "",
    transfer: undefined,
    primaries: undefined,
    rotation: 0,
    rate: { num: 25, den: 1 },
    frames,
    hidden: 0,
    videoBytes: 500_000,
    times: times(frames, 25, 25),
    uncuttable: undefined,
    ignoresEditList: false,
    samples: undefined,
    selfChecking: true,
    straight: false,
    warnings: [],
    ...rest,
  };
}

/** Times in milliseconds of frames at a rate, with a key frame every `gop` frames. */
export function times(frames: number, fps: number, gop: number): NonNullable<Track["times"]> {
  const pts = Float64Array.from({ length: frames }, (_, frame) => Math.round((frame * 1000) / fps));
  return {
    timeBase: { num: 1, den: 1000 },
    pts,
    keys: pts.filter((_, frame) => frame % gop === 0),
    frameBytes: 0,
  };
}
