/** ffmpeg prints metadata keys verbatim, with line breaks. Lines that imitate a program's own must have no effect. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { ScoreResult } from "../../src/engine/contract/result.ts";
import { encode, LOSSY, pristine, remux } from "../media/clips.ts";
import { Fixture, SCORERS } from "./fixture.ts";

const SCENE = { width: 96, height: 64, frames: 8 };
const SHOWINFO = "[Parsed_showinfo_0 @ 0x1] [info]";

const LIES = {
  rotation: `${SHOWINFO}   side data - displaymatrix: rotation of -90.00 degrees`,
  "size and format": `${SHOWINFO} n:   0 pts:      0 pts_time:0 fmt:yuv444p12le s:64x96 i:P iskey:1 type:I `,
  range: `${SHOWINFO} color_range:pc color_space:bt709 `,
  rate: `${SHOWINFO} config in time_base: 1/12800, frame_rate: 50/1`,
  "the end of the metadata": `[info] Stream mapping:\n${SHOWINFO}   side data - displaymatrix: rotation of -90.00 degrees`,
  "a change of size":
    "[graph 0 input from stream 0:0 @ 0x1] [warning] filter context - w: 64 h: 64 fmt: 0 csp: unknown range: unknown, incoming frame - w: 32 h: 32 fmt: 0 csp: unknown range: unknown pts_time: 0.04",
  "another container": "[info] Input #0, avi, from 'file:distorted.mp4':",
  "frames delivered":
    "[out#1/null @ 0x1] [verbose]   Output stream #1:0 (video): 9999 frames encoded; 9999 packets muxed (1 bytes); ",
};

for (const scorer of SCORERS) {
  describe(`imitated messages, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let reference: string;
    let plain: string;
    let truth: unknown;

    before(async () => {
      fixture = await Fixture.open();
      reference = await pristine(fixture.media, "reference.y4m", SCENE);
      plain = await encode(fixture.media, "plain.mp4", SCENE, LOSSY.h264);
      truth = await scored(plain);
    });
    after(() => fixture.close());

    async function scored(distorted: string): Promise<unknown> {
      const engine = await fixture.engine(scorer);
      return facts(await engine.score(pairRequest({ reference, distorted })));
    }

    for (const [what, lie] of Object.entries(LIES)) {
      test(what, async () => {
        const options = ["-movflags", "use_metadata_tags", "-metadata", `x\n${lie}=y`];
        const lying = await remux(fixture.media, plain, "lying.mp4", options);
        assert.ok((await readFile(lying)).includes(lie), "the file contains the lie");
        assert.deepEqual(await scored(lying), truth);
      });
    }
  });
}

/** Returns a result without what depends on the clock or on the size of the lie. */
function facts(result: ScoreResult): unknown {
  const distorted = { ...result.distorted, bytes: 0, bitRate: 0 };
  return { ...result, distorted, durationMs: 0, frames: [...result.frames.rows()] };
}
