/** The encoder that a file names: by the tag of its stream, or in its bitstream. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { encode, pristine } from "../media/clips.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { Fixture, SCORERS } from "./fixture.ts";

const SCENE = { width: 96, height: 64, frames: 8 };
const X264 = ["-c:v", "libx264", "-threads", "1"];
const X265 = ["-c:v", "libx265", "-x265-params", "log-level=none:pools=1"];
const VP9 = ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"];

for (const scorer of SCORERS) {
  describe(`encoders, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let reference: string;
    before(async () => {
      fixture = await Fixture.open();
      reference = await pristine(fixture.media, "reference.y4m", SCENE);
    });
    after(() => fixture.close());

    async function encoderOf(distorted: string): Promise<string | undefined> {
      const engine = await fixture.engine(scorer);
      const result = await engine.score(pairRequest({ reference, distorted }));
      assert.equal(result.reference.encoder, undefined, "y4m names none");
      return result.distorted.encoder;
    }

    for (const [file, options, expected] of [
      ["tag.mp4", X264, /^Lavc[\d.]+ libx264$/],
      ["tag.mkv", X265, /^Lavc[\d.]+ libx265$/],
      ["tag.webm", VP9, /^Lavc[\d.]+ libvpx-vp9$/],
      ["bitstream.ts", X264, /^x264$/],
      ["bitstream.265", X265, /^x265$/],
      ["neither.avi", ["-c:v", "mpeg4", "-fflags", "+bitexact"], /^undefined$/],
      ["own.mkv", [...X264, "-metadata:s:v:0", `encoder=  A\tB ${"x".repeat(200)}`], /^A B x{96}$/],
      ["coding.mkv", [...X264, "-metadata:s:v:0", "encoder=AVC Coding"], /^x264$/],
    ] as const) {
      test(file, async () => {
        const path = await encode(fixture.media, file, SCENE, options);
        assert.match(String(await encoderOf(path)), expected);
      });
    }

    test("of the track that is scored, not of other tracks", async () => {
      const [one, other] = await Promise.all([
        encode(fixture.media, "one.mkv", SCENE, X265),
        encode(fixture.media, "two.mkv", SCENE, X264),
      ]);
      const both = fixture.media.file("both.mkv");
      await ffmpeg(["-i", one, "-i", other, "-map", "0:v", "-map", "1:v", "-c", "copy", both]);
      assert.match(String(await encoderOf(both)), / libx265$/);
    });
  });
}
