import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isBlackAround } from "../../../bench/doctor/corpus/black.ts";

const SIZE = { width: 16, height: 8 };
const INSIDE = { x: 2, y: 0, width: 12, height: 8 };

/** A raw frame that is black except for one column. */
function frame(bright: number): Buffer {
  const luma = Buffer.alloc(SIZE.width * SIZE.height, 16);
  for (let y = 0; y < SIZE.height; y++) luma[y * SIZE.width + bright] = 200;
  return Buffer.concat([luma, Buffer.alloc(luma.length / 2, 128)]);
}

test("bars are hidden only if every frame of the scene is black where they are", async () => {
  const folder = await mkdtemp(join(tmpdir(), "black-"));
  try {
    const path = join(folder, "scene.yuv");
    const isHidden = async (...columns: number[]) => {
      await writeFile(path, Buffer.concat(columns.map(frame)));
      return isBlackAround(path, SIZE, INSIDE);
    };
    assert.equal(await isHidden(5, 7), true);
    assert.equal(await isHidden(2, 13), true);
    assert.equal(await isHidden(5, 15), false);
    assert.equal(await isHidden(1, 5), false);
  } finally {
    await rm(folder, { recursive: true });
  }
});
