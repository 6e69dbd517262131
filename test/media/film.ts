/** Long films in which every frame differs from all others, also from those of other minutes. */
import type { MediaDirectory } from "./directory.ts";
import { ffmpeg } from "./ffmpeg.ts";

const SIZE = "160x90";

/** Writes a film uncompressed as y4m; returns its path. Drawing 1,000 frames takes half a second. */
export async function film(directory: MediaDirectory, name: string, frames: number): Promise<string> {
  const path = directory.file(name);
  const graph = [
    // Rows of a chaotic automaton never repeat.
    `cellauto=s=32x18:rate=25:rule=30:random_seed=7,format=gray,scale=${SIZE.replace("x", ":")}:flags=bicubic,format=yuv420p[rows]`,
    `testsrc2=size=${SIZE}:rate=25,format=yuv420p,rotate=a=0.6*sin(n/91)[bars]`,
    `[rows][bars]blend=all_mode=average,format=yuv420p,setparams=range=tv:field_mode=prog,trim=end_frame=${frames}`,
  ].join(";");
  await ffmpeg(["-f", "lavfi", "-i", graph, "-f", "yuv4mpegpipe", "-strict", "-1", path]);
  return path;
}
