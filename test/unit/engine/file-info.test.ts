import assert from "node:assert/strict";
import { test } from "node:test";
import { fileInfo } from "../../../src/engine/track.ts";
import { track } from "./track-fixture.ts";

test("a file's size, the time that its frames take at its rate, and its bits per second", () => {
  const rate = { num: 30_000, den: 1001 };
  const info = fileInfo(track("reference", { frames: 300, rate }), 1_251_250);
  assert.deepEqual([info.bytes, info.duration, info.bitRate], [1_251_250, 10.01, 1_000_000]);
});

test("without a rate there is a size alone", () => {
  const info = fileInfo(track("distorted", { frames: 300, rate: undefined }), 1000);
  assert.deepEqual([info.bytes, "duration" in info, "bitRate" in info], [1000, false, false]);
});
