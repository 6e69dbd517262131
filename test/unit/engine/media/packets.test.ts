import assert from "node:assert/strict";
import { test } from "node:test";
import { PacketList } from "../../../../src/engine/media/packets.ts";

function list(...packets: readonly string[]): PacketList {
  const found = new PacketList();
  for (const line of ["#tb 0: 1/25", "#codec_id 0: h264", ...packets]) found.read(line);
  return found;
}

test("reads times, key frames and the codec, in presentation order", () => {
  const found = list("0, -1, 0, 1, 90, 0xaa", "0, 0, 2, 1, 50, 0xbb, F=0x0", "0, 1, 1, 1, 40, 0xcc, F=0x0");
  assert.equal(found.codec, "h264");
  assert.deepEqual([found.coded, found.bytes, found.hidden, found.openGop], [3, 180, 0, false]);
  assert.deepEqual(found.times(), {
    timeBase: { num: 1, den: 25 },
    pts: Float64Array.of(0, 1, 2),
    keys: Float64Array.of(0),
    frameBytes: 60,
  });
});

test("counts frames hidden by an edit list separately", () => {
  const found = list("0, 0, 0, 1, 9, 0x1, F=0x5", "0, 1, 1, 1, 9, 0x1, F=0x4", "0, 2, 2, 1, 9, 0x1, F=0x0");
  assert.deepEqual([found.coded, found.hidden], [3, 2]);
  assert.deepEqual([...(found.times()?.pts ?? [])], [2]);
});

test("detects an open GOP by a frame that is displayed before the key frame it is decoded after", () => {
  assert.ok(list("0, 0, 0, 1, 9, 0x1", "0, 1, 5, 1, 9, 0x1", "0, 2, 4, 1, 9, 0x1, F=0x0").openGop);
});

test("returns no times if some are missing or duplicated", () => {
  assert.equal(list("0, 0, -9223372036854775808, 1, 9, 0x1", "0, 1, 1, 1, 9, 0x1").times(), undefined);
  assert.equal(list("0, 0, 3, 1, 9, 0x1", "0, 1, 3, 1, 9, 0x1").times(), undefined);
});

test("reads the flags of a line with side data at its end", () => {
  assert.equal(list("0, 0, 0, 1, 9, 0x1, F=0x4, S=1, 1").hidden, 1);
});
