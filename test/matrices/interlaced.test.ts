/** Interlaced video beside progressive is found while scoring and by a diagnosis, with the order of its fields. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Finding } from "../../src/engine/contract/finding.ts";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { Fixture, warningCodes } from "../engine/fixture.ts";
import { ffmpeg } from "../media/ffmpeg.ts";

/** A picture that moves sideways, as a camera that records 50 moments a second sees it. */
const CAMERA = "testsrc2=s=640x360:r=50,scroll=horizontal=0.004,format=yuv420p";
const MOMENTS = 160;
const ENCODE = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-threads", "1"];
/** Two moments in the fields of a frame. */
const TOP_FIRST = "tinterlace=interleave_top,setfield=prog";
const BOTTOM_FIRST = "tinterlace=interleave_bottom,setfield=prog";
const PROGRESSIVE = "framestep=2";

describe("fields of different moments", () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await Fixture.open();
  });
  after(() => fixture.close());

  async function video(name: string, filters: string, rate = "25"): Promise<string> {
    const path = fixture.media.file(name);
    const input = ["-f", "lavfi", "-i", `${CAMERA},trim=end_frame=${MOMENTS}`];
    await ffmpeg([
      ...input,
      "-vf",
      `${filters},settb=AVTB,setpts=N/(${rate})/TB`,
      "-r",
      rate,
      ...ENCODE,
      path,
    ]);
    return path;
  }

  async function diagnosed(reference: string, distorted: string): Promise<Finding[]> {
    const { findings } = await (await fixture.engine()).diagnose(pairRequest({ reference, distorted }));
    return findings.filter(({ code }) => code === "INTERLACED" || code === "FIELD_ORDER_DIFFERS");
  }

  async function scored(reference: string, distorted: string) {
    return (await fixture.engine()).score(pairRequest({ reference, distorted }));
  }

  test("warn of the side that has them, while scoring as in a diagnosis", async () => {
    const progressive = await video("progressive.mp4", PROGRESSIVE);
    for (const [name, filters, first] of [
      ["top.mp4", TOP_FIRST, "top"],
      ["bottom.mp4", BOTTOM_FIRST, "bottom"],
    ] as const) {
      const woven = await video(name, filters);
      const result = await scored(progressive, woven);
      assert.deepEqual(warningCodes(result), ["INTERLACED"]);
      for (const [finding] of [result.findings, await diagnosed(progressive, woven)]) {
        assert.deepEqual([finding?.side, finding?.confidence], ["distorted", "likely"]);
        assert.match(finding?.evidence ?? "", new RegExp(`the ${first} field first`));
      }
      const [swapped] = await diagnosed(woven, progressive);
      assert.deepEqual([swapped?.code, swapped?.side], ["INTERLACED", "reference"]);
    }
  });

  test("have a finding if their order differs, and none if it is the same", async () => {
    const top = await video("reference.mp4", TOP_FIRST);
    const result = await scored(top, await video("other.mp4", BOTTOM_FIRST));
    assert.deepEqual(warningCodes(result), ["FIELD_ORDER_DIFFERS"]);
    assert.match(result.findings[0]?.evidence ?? "", /the top field first in the reference and the bottom/);
    const same = await video("same.mp4", `${TOP_FIRST},noise=alls=3:allf=t`);
    assert.deepEqual((await scored(top, same)).findings, []);
  });

  test("in 2 of 5 frames are telecine", async () => {
    const film = await video("film.mp4", PROGRESSIVE, "24000/1001");
    const pulled = await video("pulled.mp4", `${PROGRESSIVE},telecine=first_field=top`, "30000/1001");
    const [finding] = await diagnosed(film, pulled);
    assert.deepEqual([finding?.code, finding?.side], ["INTERLACED", "distorted"]);
    assert.match(finding?.evidence ?? "", /^2 of 5 frames of the distorted video are woven/);
  });

  test("are not seen in noise, nor in blurred frames", async () => {
    const progressive = await video("clean.mp4", PROGRESSIVE);
    const noisy = await video("noisy.mp4", `${PROGRESSIVE},noise=alls=12:allf=t`);
    assert.deepEqual(warningCodes(await scored(progressive, noisy)), []);
    const coarse = await video("coarse.mp4", `${PROGRESSIVE},scale=320:180,scale=640:360`);
    assert.deepEqual(await diagnosed(progressive, coarse), []);
  });
});
