/** The exact size of a video track in every container, independent of the other content of the file. */
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { MediaInfo } from "../../src/engine/contract/result.ts";
import { draw, encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { Fixture } from "./fixture.ts";

const DURATION = SCENE.frames / 25;
const SOUND = ["-f", "lavfi", "-i", `sine=frequency=440:duration=${DURATION}`, "-c:a", "aac", "-b:a", "128k"];

describe("bytes of the video track", () => {
  let fixture: Fixture;
  let reference: string;

  before(async () => {
    fixture = await Fixture.open();
    reference = await pristine(fixture.media);
  });
  after(() => fixture.close());

  async function found(distorted: string, over = {}): Promise<MediaInfo> {
    const engine = await fixture.engine();
    return (await engine.score(pairRequest({ reference, distorted, ...over }))).distorted;
  }

  /** Returns the total size of the track's packets, which ffmpeg writes without a container. */
  async function packetBytes(path: string): Promise<number> {
    const bare = fixture.media.file("packets.bin");
    await ffmpeg(["-i", path, "-map", "0:v", "-c", "copy", "-f", "rawvideo", bare]);
    return (await stat(bare)).size;
  }

  for (const [name, codec] of [
    ["h264.mp4", LOSSY.h264],
    ["h264.mkv", LOSSY.h264],
    ["h264.ts", LOSSY.h264],
    ["mpeg4.avi", LOSSY.mpeg4],
    ["vp9.webm", LOSSY.vp9],
  ] as const) {
    test(`${name}: equals the sum of its packets without sound`, async () => {
      const silent = await encode(fixture.media, name, {}, [...codec]);
      const sound = fixture.media.file(`sound-${name}`);
      const audio = name.endsWith("webm") ? ["-c:a", "libopus"] : [];
      const tracks = ["-map", "0:v", "-map", "1:a", "-c:v", "copy"];
      await ffmpeg(["-i", silent, ...SOUND.slice(0, 4), ...tracks, ...SOUND.slice(4), ...audio, sound]);
      const [one, other] = [await found(silent), await found(sound)];
      const bytes = await packetBytes(silent);
      assert.deepEqual([one.videoBytes, other.videoBytes], [bytes, bytes]);
      assert.deepEqual([one.videoBitRate, other.videoBitRate], Array(2).fill((8 * bytes) / DURATION));
      assert.deepEqual([one.bytes, other.bytes], [(await stat(silent)).size, (await stat(sound)).size]);
      assert.ok(
        (other.bitRate ?? 0) - (one.bitRate ?? 0) > 10_000,
        "the bit rate of the file includes the sound",
      );
    });
  }

  test("y4m and yuv: equals the size of the samples", async () => {
    const samples = SCENE.frames * SCENE.width * SCENE.height * 1.5;
    const y4m = await found(reference);
    assert.deepEqual([y4m.videoBytes, (y4m.bytes ?? 0) > samples], [samples, true]);
    const raw = fixture.media.file("clip_192x108_25fps.yuv");
    await ffmpeg([...draw(), "-f", "rawvideo", raw]);
    const yuv = await found(raw);
    assert.deepEqual([yuv.videoBytes, yuv.bytes], [samples, samples]);
  });

  test("an edit list: includes frames that are decoded but not displayed", async () => {
    const longer = await encode(fixture.media, "longer.mp4", { frames: SCENE.frames + 5 }, [...LOSSY.h264]);
    const cut = fixture.media.file("cut.mp4");
    await ffmpeg(["-ss", "0.2", "-i", longer, "-map", "0:v", "-c", "copy", cut]);
    const info = await found(cut, { findings: { action: "IGNORE" } });
    assert.equal(info.frames, SCENE.frames);
    assert.equal(info.videoBytes, await packetBytes(longer));
  });
});
