/** The series of real videos: made, encoded and scored once (videos.ts), and stored with the tests. */
import { join } from "node:path";
import { Random } from "../../src/engine/estimate/random.ts";
import { type Film, randomCuts } from "./films.ts";
import { readRecording, writeRecording } from "./recording.ts";
import { scoreVideo, VIDEOS } from "./videos.ts";

const FOLDER = join(import.meta.dirname, "../../test/unit/engine/estimate/recorded");
const HOUR_FRAMES = 24 * 3600;

/** Makes and scores the videos again, and replaces their recordings. */
export async function record(): Promise<void> {
  for (const video of VIDEOS) {
    console.log(`scoring ${video.name}, ${video.minutes} minutes`);
    await writeRecording(pathOf(video.name), await scoreVideo(video));
  }
}

/** Each video as it is, and repeated to the length of an hour. */
export function recordedFilms(): readonly Film[] {
  return VIDEOS.flatMap(({ name, seed }) => {
    const scores = readRecording(pathOf(name));
    const hour = Float64Array.from(
      { length: HOUR_FRAMES },
      (_, frame) => scores[frame % scores.length] ?? Number.NaN,
    );
    const film = (title: string, values: Float64Array) => {
      return { name: title, scores: values, cuts: randomCuts(values.length, Random.ofSeed(seed)) };
    };
    return [film(name, scores), film(`${name}, repeated`, hour)];
  });
}

function pathOf(name: string): string {
  return join(FOLDER, `${name}.gz`);
}
