import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { comparedFormat, frameBytes, pixelFormat } from "../../../src/engine/media/pixels.ts";
import { formatRational, parseRational } from "../../../src/engine/media/rational.ts";

describe("rates", () => {
  for (const [text, expected] of [
    ["25", "25/1"],
    ["30000/1001", "30000/1001"],
    ["25:1", "25/1"],
    ["29.97", "2997/100"],
    ["50/2", "25/1"],
  ] as const) {
    test(`parses ${text} as ${expected}`, () => {
      const rate = parseRational(text);
      assert.equal(rate && formatRational(rate), expected);
    });
  }
  for (const text of ["", "0", "0/1", "1/0", "-25", "25fps", "1e3", "25/", "NaN", "99999999999"]) {
    test(`rejects ${JSON.stringify(text)}`, () => assert.equal(parseRational(text), undefined));
  }
});

describe("pixel formats", () => {
  for (const [name, chroma, depth] of [
    ["yuv420p", "420", 8],
    ["yuvj422p", "422", 8],
    ["yuva444p10le", "444", 10],
    ["yuv422p14le", "422", 14],
    ["nv12", "420", 8],
    ["p010le", "420", 10],
    ["gbrp12le", "444", 12],
    ["rgb24", "444", 8],
    ["rgb48le", "444", 16],
    ["yuv410p", "420", 8],
  ] as const) {
    test(`recognizes ${name} as ${chroma} with ${depth} bits`, () => {
      const format = pixelFormat(name);
      assert.deepEqual([format?.chroma, format?.depth], [chroma, depth]);
    });
  }
  for (const name of ["pal8", "gray", "vaapi", "yuv999p", "", "bayer_rggb8"]) {
    test(`rejects ${JSON.stringify(name)}`, () => assert.equal(pixelFormat(name), undefined));
  }
  test("rounds the chroma of odd sizes up", () => {
    const format = pixelFormat("yuv420p");
    assert.ok(format);
    assert.equal(frameBytes(format, 175, 99), 175 * 99 + 2 * 88 * 50);
  });
  test("compares 14 bits as 16", () => {
    const format = pixelFormat("yuv422p14le");
    assert.ok(format);
    assert.equal(comparedFormat(format, format), "yuv422p16le");
  });
});
