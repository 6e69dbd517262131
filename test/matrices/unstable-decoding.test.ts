/** A score depends only on its files: a file whose damage decodes to different frames in each run is refused. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Fixture, SCORERS, type Scorer } from "../engine/fixture.ts";
import { encode, pristine } from "../media/clips.ts";
import { sequence } from "../media/crafted.ts";

const SCENE = { width: 320, height: 240, frames: 20 };
/** Fraction of a file at its start that has the container's header, where every reader refuses damage. */
const HEAD = 0.1;
const SEEDS = [1, 2, 3, 4, 5, 6];

const FFV1 = ["-c:v", "ffv1", "-threads", "1"];
const X265 = ["-c:v", "libx265", "-preset", "ultrafast", "-crf", "34", "-x265-params"];
const ONE_THREAD = "log-level=none:pools=1:frame-threads=1:keyint=20";

let fixture: Fixture;
let reference: string;
before(async () => {
  fixture = await Fixture.open();
  reference = await pristine(fixture.media, "reference.y4m", SCENE);
});
after(() => fixture.close());

/** Makes a copy of a file with one inverted bit, a different one for every seed. */
async function flipped(path: string, seed: number): Promise<string> {
  const bytes = await readFile(path);
  const next = sequence(seed * 2_654_435_761);
  const head = Math.floor(bytes.length * HEAD);
  const at = head + next(bytes.length - head);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << next(8)), at);
  const copy = path.replace(/\.\w+$/, `-${seed}$&`);
  await writeFile(copy, bytes);
  return copy;
}

/** Scores a file with different numbers of threads; returns its scores and the codes of its failures. */
async function outcomes(
  distorted: string,
  scorer: Scorer,
  segmentFrames?: number,
): Promise<{ scores: Set<number>; codes: string[] }> {
  const scores = new Set<number>();
  const codes: string[] = [];
  // Damaged frames show other content.
  const request = pairRequest({ reference, distorted, findings: { action: "IGNORE" } });
  for (const threads of [1, 2, 3]) {
    const engine = await fixture.engine(scorer, { threads });
    try {
      const options = { timeoutMs: 300_000, segmentFrames };
      scores.add((await engine.score(request, options)).score);
    } catch (error) {
      codes.push(Failure.from(error).code);
    }
  }
  return { scores, codes };
}

for (const scorer of SCORERS) {
  describe(`damage that decodes differently in each run, with ${scorer.kind}`, () => {
    for (const [name, options] of Object.entries({
      "FFV1 without checksums": [...FFV1, "-level", "1"],
      "FFV1 without checksums, in slices": [...FFV1, "-level", "3", "-slices", "4", "-slicecrc", "0"],
    })) {
      test(`is refused in ${name}`, async () => {
        const path = await encode(fixture.media, `${name.replaceAll(/\W/g, "")}.mkv`, SCENE, options);
        let refused = 0;
        for (const seed of SEEDS) {
          const { scores, codes } = await outcomes(await flipped(path, seed), scorer);
          assert.ok(scores.size <= 1, `seed ${seed}: scores ${[...scores].join(", ")}`);
          for (const code of codes) assert.equal(code, "MEDIA_CORRUPT", `seed ${seed}`);
          if (scores.size === 0) refused++;
        }
        assert.ok(refused >= SEEDS.length / 2, `${refused} of ${SEEDS.length} files were refused each time`);
      });
    }

    test("is refused in FFV1 with slice checksums", async () => {
      const options = [...FFV1, "-level", "3", "-slices", "4", "-slicecrc", "1"];
      const path = await encode(fixture.media, "crc.mkv", SCENE, options);
      for (const seed of SEEDS) {
        const { scores, codes } = await outcomes(await flipped(path, seed), scorer);
        assert.deepEqual([...scores, ...new Set(codes)], ["MEDIA_CORRUPT"], `seed ${seed}`);
      }
    });

    test("has one score or is refused in HEVC, whole and cut", async () => {
      const path = await encode(fixture.media, "hevc.mp4", SCENE, [...X265, `${ONE_THREAD}:wpp=0`]);
      for (const seed of SEEDS) {
        const copy = await flipped(path, seed);
        for (const segmentFrames of [undefined, 10]) {
          const { scores, codes } = await outcomes(copy, scorer, segmentFrames);
          assert.ok(scores.size <= 1, `seed ${seed}: scores ${[...scores].join(", ")}`);
          for (const code of codes) assert.match(code, /^MEDIA_/, `seed ${seed}`);
        }
      }
    });
  });
}

test("gives one score to intact files that are decoded twice", async () => {
  for (const [name, options] of [
    ["sound.mkv", [...FFV1, "-level", "1"]],
    ["sound.mp4", [...X265, ONE_THREAD]],
    ["sound.webm", ["-c:v", "libvpx", "-b:v", "300k", "-deadline", "realtime", "-threads", "1"]],
  ] as const) {
    const path = await encode(fixture.media, name, SCENE, options);
    const { scores, codes } = await outcomes(path, SCORERS[0]);
    assert.deepEqual([scores.size, codes], [1, []], name);
  }
});
