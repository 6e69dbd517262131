import assert from "node:assert/strict";
import { test } from "node:test";
import { fileInfo } from "../../../src/engine/media/track.ts";
import { track } from "./track-fixture.ts";

const RATE = { num: 30_000, den: 1001 };

test("returns the sizes of the file and of its video track, and both bit rates over the duration", () => {
  const info = fileInfo(track("reference", { frames: 300, rate: RATE, videoBytes: 1_001_000 }), 1_251_250);
  assert.deepEqual([info.bytes, info.duration, info.bitRate], [1_251_250, 10.01, 1_000_000]);
  assert.deepEqual([info.videoBytes, info.videoBitRate], [1_001_000, 800_000]);
});

test("returns sizes but no bit rates if the file states no frame rate", () => {
  const info = fileInfo(track("distorted", { frames: 300, rate: undefined, videoBytes: 900 }), 1000);
  assert.deepEqual([info.bytes, info.videoBytes], [1000, 900]);
  for (const name of ["duration", "bitRate", "videoBitRate"]) assert.ok(!(name in info), name);
});
