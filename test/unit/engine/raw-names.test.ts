/** The sample format in the name of a headerless file. */
import assert from "node:assert/strict";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openSource } from "../../../src/engine/files/source.ts";
import { frameBytes, pixelFormat } from "../../../src/engine/media/pixels.ts";
import { probeRaw } from "../../../src/engine/media/raw.ts";
import type { Track } from "../../../src/engine/media/track.ts";

const FRAMES = 2;
let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "raw-names-"));
});
after(() => rm(directory, { recursive: true }));

/** Probes a file of this name with two 320x180 frames of a format. */
async function probed(name: string, format: string): Promise<Track> {
  const pixels = pixelFormat(format);
  assert.ok(pixels, format);
  const path = join(directory, name);
  await writeFile(path, "");
  await truncate(path, FRAMES * frameBytes(pixels, 320, 180));
  const source = await openSource("distorted", path, undefined);
  try {
    return probeRaw(source, undefined);
  } finally {
    await source[Symbol.asyncDispose]();
  }
}

describe("reads the format from the name", () => {
  for (const [name, format] of [
    ["clip_320x180.yuv", "yuv420p"],
    ["320x180.yuv", "yuv420p"],
    ["clip_320x180_8bit.yuv", "yuv420p"],
    ["clip_320x180_420p.yuv", "yuv420p"],
    ["clip_320x180_10bit.yuv", "yuv420p10le"],
    ["clip_320x180_10bits.yuv", "yuv420p10le"],
    ["clip_320x180_10-bit.yuv", "yuv420p10le"],
    ["clip_320x180_10_bit.yuv", "yuv420p10le"],
    ["clip_320x180_10b.yuv", "yuv420p10le"],
    ["clip_320x180_10bpc.yuv", "yuv420p10le"],
    ["clip_320x180_10bpp.yuv", "yuv420p10le"],
    ["clip_320x180_420p10.yuv", "yuv420p10le"],
    ["clip_320x180_420p10le.yuv", "yuv420p10le"],
    ["clip_320x180_yuv420p10.yuv", "yuv420p10le"],
    ["clip_320x180_yuv422p10le.yuv", "yuv422p10le"],
    ["clip_320x180_422_10bit.yuv", "yuv422p10le"],
    ["clip_320x180_422p_12bit.yuv", "yuv422p12le"],
    ["CLIP_320x180_YUV444P12LE.YUV", "yuv444p12le"],
  ] as const) {
    test(`${name}: ${format}`, async () => {
      const { pixels, frames, width, height } = await probed(name, format);
      assert.deepEqual([pixels.name, frames, width, height], [format, FRAMES, 320, 180]);
    });
  }
});

describe("refuses names with a layout that is not planar", () => {
  for (const layout of [
    "nv12",
    "NV21",
    "p010",
    "p010le",
    "p210",
    "yuyv422",
    "uyvy",
    "rgb24",
    "bgr",
    "gray",
  ]) {
    test(layout, async () => {
      const probing = probed(`clip_320x180_${layout}.yuv`, "yuv420p10le");
      await assert.rejects(probing, { code: "RAW_GEOMETRY_MISSING", message: /rawVideo/ });
    });
  }
});
