/** The pairs that `npm run bench:doctor` makes are what their truth says. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { CONTENTS } from "../../bench/doctor/corpus/contents.ts";
import { Draw } from "../../bench/doctor/corpus/draw.ts";
import { type Recipe, recipe, type Scene } from "../../bench/doctor/corpus/fault.ts";
import { makePair } from "../../bench/doctor/corpus/make.ts";
import { consecutive, without } from "../../bench/doctor/corpus/truth.ts";
import { FFMPEG } from "../../bench/media.ts";
import { Random } from "../../src/engine/estimate/random.ts";

const run = promisify(execFile);
const content = CONTENTS.find(({ name }) => name === "test");
assert.ok(content);
const SCENE: Scene = { content, seed: 1, rate: "25", frames: 24, width: 320, height: 180 };
const PLAIN = { codec: "x264", crf: 20, scale: 1, gamma: 1, grain: 0 } as const;

test("drops the frames that the recipe drops", async () => {
  const given = { draw: new Draw(Random.ofSeed(1)), scene: SCENE, treatment: PLAIN };
  const frames = without(consecutive(0, SCENE.frames), [10, 11]);
  const { reference, distorted } = await pictures(recipe(given, { distorted: { frames } }, { expected: [] }));
  assert.deepEqual([reference.length, distorted.length], [24, 22]);
  const matches = distorted.map((picture) => closest(picture, reference));
  assert.deepEqual(matches, frames);
});

test("encodes with every codec, scaled and grained", async () => {
  for (const codec of ["x265", "av1", "mpeg2", "vp9"] as const) {
    const treatment = { ...PLAIN, codec, scale: 0.5, grain: 4 };
    const given = { draw: new Draw(Random.ofSeed(1)), scene: SCENE, treatment };
    const { reference, distorted } = await pictures(recipe(given, {}, { expected: [] }));
    assert.equal(distorted.length, reference.length, codec);
    assert.deepEqual(
      distorted.map((picture) => closest(picture, reference)),
      consecutive(0, SCENE.frames),
      codec,
    );
  }
});

const SMALL = { width: 64, height: 36 };

/** Makes the pair and returns small pictures of each side's frames. */
async function pictures(made: Recipe): Promise<{ reference: Buffer[]; distorted: Buffer[] }> {
  const folder = await mkdtemp(join(tmpdir(), "pair-"));
  try {
    const names = await makePair(SCENE, made, { clips: folder, pair: folder });
    return {
      reference: await decode(join(folder, names.reference)),
      distorted: await decode(join(folder, names.distorted)),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function decode(path: string): Promise<Buffer[]> {
  const filter = `scale=${SMALL.width}:${SMALL.height}:flags=area,format=gray`;
  const output = ["-vf", filter, "-fps_mode", "passthrough", "-f", "rawvideo", "-"];
  const options = { encoding: "buffer", maxBuffer: 2 ** 26 } as const;
  const { stdout } = await run(FFMPEG, ["-v", "error", "-i", path, ...output], options);
  const bytes = SMALL.width * SMALL.height;
  return consecutive(0, stdout.length / bytes).map((frame) =>
    stdout.subarray(frame * bytes, (frame + 1) * bytes),
  );
}

/** Returns which of the pictures is the most similar. */
function closest(picture: Buffer, pictures: readonly Buffer[]): number {
  const distances = pictures.map((other) =>
    other.reduce((sum, byte, at) => sum + (byte - (picture[at] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}
