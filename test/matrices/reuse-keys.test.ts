/** Segments with equal keys have equal scores, and one changed group of pictures changes the keys of few segments. */
import assert from "node:assert/strict";
import { copyFile, stat, utimes } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { type PairRequest, pairRequest } from "../../src/engine/contract/request.ts";
import type { PlannedPair } from "../../src/engine/contract/work.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { fileIdentity } from "../../src/engine/files/identity.ts";
import { Fixture } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, remux, SCENE } from "../media/clips.ts";
import { encodeGops } from "../media/gops.ts";
import { until, WAIT_LIMIT_MS } from "../waiting.ts";

const GOP = 12;
const COUNT = 10;
const FILM = { ...SCENE, frames: GOP * COUNT };
/** Segments of two groups. */
const PLANNING = { segments: { seconds: 1 }, timeoutMs: WAIT_LIMIT_MS };

const CASES = [
  { name: "H.264 in MP4", file: "mp4", part: "mkv", codec: LOSSY.h264, change: ["-crf", "42"], most: 2 },
  { name: "HEVC in Matroska", file: "mkv", part: "mkv", codec: LOSSY.hevc, change: ["-crf", "44"], most: 2 },
  { name: "VP9 in WebM", file: "webm", part: "webm", codec: LOSSY.vp9, change: ["-crf", "60"], most: 2 },
  // The search for a time begins before the group of pictures.
  { name: "MPEG-2 in MPEG-TS", file: "ts", part: "ts", codec: LOSSY.mpeg2, change: ["-q:v", "24"], most: 4 },
] as const;

const keysOf = ({ segments }: PlannedPair) =>
  segments.map(({ key }) => key && Buffer.from(key).toString("hex"));

describe("keys of segments", () => {
  let fixture: Fixture;
  let engine: Engine;
  let reference: string;

  before(async () => {
    fixture = await Fixture.open();
    engine = await fixture.engine();
    reference = await encode(fixture.media, "reference.mp4", FILM, [...LOSSY.h264, "-crf", "8"]);
  });
  after(() => fixture.close());

  const plan = (request: Partial<PairRequest> & Pick<PairRequest, "distorted">) =>
    engine.plan(pairRequest({ reference, ...request }), PLANNING);

  for (const { name, file, part, codec, change, most } of CASES) {
    test(`${name}: one changed group of pictures changes few keys, and equal keys are equal scores`, async () => {
      const gops = { scene: FILM, count: COUNT, frames: GOP, codec, part };
      const title = name.replaceAll(/\W/g, "");
      const one = await encodeGops(fixture.media, `${title}-one.${file}`, gops);
      const changed = { ...gops, change: { gop: 5, codec: change } };
      const other = await encodeGops(fixture.media, `${title}-other.${file}`, changed);
      const planned = [await plan({ distorted: one }), await plan({ distorted: other })] as const;
      const [keys, otherKeys] = [keysOf(planned[0]), keysOf(planned[1])];
      assert.ok(keys.length >= 4 && keys.every((key) => key !== undefined), `${keys.length} segments`);
      const same = keys.map((key, index) => key === otherKeys[index]);
      const differing = same.filter((equal) => !equal).length;
      assert.ok(differing >= 1 && differing <= most, `${differing} of ${keys.length} keys differ`);
      let differ = 0;
      for (const [index, { segment }] of planned[0].segments.entries()) {
        const score = async (distorted: string, { plan: text, segments }: PlannedPair) => {
          const request = pairRequest({ reference, distorted });
          const work = { request, plan: text, segment: segments[index]?.segment ?? "" };
          const { table, findings } = await engine.scoreSegment(work, { timeoutMs: WAIT_LIMIT_MS });
          return { rows: [...table.rows()], findings };
        };
        const scores = [await score(one, planned[0]), await score(other, planned[1])];
        if (same[index]) assert.deepEqual(scores[0], scores[1], `frames of ${segment}`);
        else if (JSON.stringify(scores[0]) !== JSON.stringify(scores[1])) differ++;
      }
      assert.ok(differ > 0, "the change shows in the scores");
    });
  }

  test("a key does not depend on names and times of files, but on the request and on all parameters", async () => {
    const distorted = await encode(fixture.media, "asked.mp4", FILM, LOSSY.h264);
    const keys = keysOf(await plan({ distorted }));
    const copy = fixture.media.file("copy.mp4");
    await copyFile(distorted, copy);
    await utimes(copy, 1_000, 1_000);
    assert.deepEqual(keysOf(await plan({ distorted: copy })), keys);
    const others: Partial<PairRequest>[] = [
      { models: ["vmaf_v0.6.1neg"] },
      { features: ["psnr"] },
      { subsample: 2 },
      { findings: { action: "IGNORE" } },
      { mirror: { distorted: "HORIZONTAL" } },
      { offset: 3 },
    ];
    for (const asked of others) {
      const differing = keysOf(await plan({ distorted, ...asked }));
      assert.ok(
        differing.every((key) => key !== undefined && !keys.includes(key)),
        JSON.stringify(asked),
      );
    }
    const tagged = await remux(fixture.media, distorted, "tagged.mp4", ["-bsf:v", "h264_metadata=level=5.1"]);
    assert.ok(keysOf(await plan({ distorted: tagged })).every((key) => !keys.includes(key)));
  });

  test("a file without packets is identified by its inode and times, once it is no longer being written", async () => {
    const distorted = await encode(fixture.media, "with-packets.mp4", FILM, LOSSY.h264);
    const raw = await pristine(fixture.media, "raw.y4m", FILM);
    const rawPlan = () => plan({ reference: raw, distorted });
    const first = await rawPlan();
    if (Date.now() - (await stat(raw)).ctimeMs < 2_000)
      assert.deepEqual(new Set(keysOf(first)), new Set([undefined]));
    const isKnown = async () => (await fileIdentity(raw)) !== undefined;
    await until(isKnown, "the file was left alone");
    const keys = keysOf(await rawPlan());
    assert.ok(keys.length > 1 && keys.every((key) => key !== undefined));
    assert.deepEqual(keysOf(await rawPlan()), keys);
    const { atime, mtime } = await stat(raw);
    await utimes(raw, atime, mtime);
    await until(isKnown, "the file was left alone");
    const known = new Set<string | undefined>(keys);
    assert.ok(
      keysOf(await rawPlan()).every((key) => key !== undefined && !known.has(key)),
      "its inode was changed",
    );
  });
});
