/** The matrix that ffmpeg states of a frame is read even if another of its threads logs on the same line. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { matrixIn } from "../../../../src/engine/stills/colours.ts";

const FILTER = "[Parsed_showinfo_0 @ 0x55d3c0] [info]";

describe("matrixIn", () => {
  for (const [line, matrix] of [
    [`${FILTER} color_range:tv color_space:bt2020nc color_primaries:bt2020 color_trc:bt709`, "bt2020nc"],
    [`${FILTER} color_range:tv color_space:bt709Output #0, null, to 'pipe:':`, "bt709"],
    [`${FILTER} color_range:tv color_space:smpte170m  Stream #0:0: Video: wrapped_avframe`, "smpte170m"],
    [`${FILTER} color_range:tv color_space:unknown color_primaries:unknown`, undefined],
    [`${FILTER} color_range:tv color_space:bt2020c color_primaries:bt2020`, undefined],
    ["[info]     title : color_space:bt709", undefined],
  ] as const) {
    test(`of "${line}"`, () => assert.equal(matrixIn(line), matrix));
  }
});
