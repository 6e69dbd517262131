/** A frame of another size is detected, and the file that has it is blamed. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { Fixture, SCORERS } from "./fixture.ts";

const SIDE = 64;
/** Number of warnings before and after the change: more than are kept. */
const AROUND = 130;
const FRAMES = 2 * AROUND + 2;

for (const scorer of SCORERS) {
  describe(`refuses a change of frame size, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let plain: string;
    let changing: string;

    /** Makes one coded frame, tagged with a colour matrix. */
    async function frame(matrix: string, side = SIDE): Promise<Buffer> {
      const scene = { width: side, height: side, frames: 1 };
      const path = await encode(fixture.media, `${matrix}-${side}.h264`, scene, [
        ...LOSSY.h264,
        ...["-colorspace", matrix],
      ]);
      return readFile(path);
    }

    before(async () => {
      fixture = await Fixture.open();
      plain = await pristine(fixture.media, "plain.y4m", { width: SIDE, height: SIDE, frames: FRAMES });
      // The decoder warns about every frame whose tags differ from those of the previous frame.
      const [first, tagged, large] = [
        await frame("bt709"),
        await frame("smpte170m"),
        await frame("bt709", 96),
      ];
      const many = Array.from({ length: AROUND / 2 }, () => [tagged, first]).flat();
      changing = fixture.media.file("changing.h264");
      await writeFile(changing, [first, ...many, large, ...many]);
    });
    after(() => fixture.close());

    for (const side of ["reference", "distorted"] as const) {
      test(`in the ${side} video, among hundreds of warnings`, async () => {
        const pair = { reference: plain, distorted: plain, [side]: changing };
        const failure = await fixture.expectFailure(pair, "FRAME_SIZE_CHANGES", { scorer });
        assert.match(failure.message, new RegExp(`^The ${side} file "[^"]*changing\\.h264"`));
        assert.deepEqual(failure.found, { side });
      });
    }

    test("in a video that is scaled, although the scaler silently accepts every size", async () => {
      const scene = { width: 80, height: 80, frames: FRAMES };
      const reference = await pristine(fixture.media, "larger.y4m", scene);
      await fixture.expectFailure({ reference, distorted: changing }, "FRAME_SIZE_CHANGES", { scorer });
    });
  });
}
