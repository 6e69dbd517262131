import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isSameInOrder } from "../../../bench/doctor/corpus/unseen.ts";

const SIZE = { width: 16, height: 8 };
const SAMPLES = (SIZE.width * SIZE.height * 3) / 2;

test("a fault in time is hidden only if it moves frames, and all of them are the same", async () => {
  const folder = await mkdtemp(join(tmpdir(), "unseen-"));
  try {
    const path = join(folder, "scene.yuv");
    // Two frames, and three black ones after them.
    const levels = [90, 60, 16, 16, 16];
    await writeFile(path, Buffer.concat(levels.map((level) => Buffer.alloc(SAMPLES, level))));
    const isHidden = (distorted: readonly number[]) => isSameInOrder(path, SIZE, [[0, 1, 2, 3], distorted]);
    assert.equal(await isHidden([0, 1, 3, 4]), true);
    assert.equal(await isHidden([0, 1, 2, 3]), false);
    assert.equal(await isHidden([1, 2, 3, 4]), false);
    assert.equal(await isHidden([0, 1, 3]), false);
  } finally {
    await rm(folder, { recursive: true });
  }
});
