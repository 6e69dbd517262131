/** Names of ladders by what the probe found. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { groupName, lacksEncoder } from "../../../../src/jobs/media/grouping.ts";

const FOUND = { codec: "h264", width: 1280, height: 720, encoder: "Lavc61.3.100 libx264" };

test("a ladder is named after the parts in their order, by default after the codec", () => {
  assert.equal(groupName(FOUND, []), "h264");
  assert.equal(groupName(FOUND, ["codec"]), "h264");
  assert.equal(groupName(FOUND, ["size"]), "1280×720");
  assert.equal(groupName(FOUND, ["encoder", "size"]), "libx264 1280×720");
  assert.equal(groupName(FOUND, ["size", "codec"]), "1280×720 h264");
});

test("an encoder has one name in all versions, in tags and bitstreams", () => {
  for (const [encoder, name] of [
    ["Lavc61.3.100 libx264", "libx264"],
    ["Lavc60 libx264", "libx264"],
    ["Lavc libx264", "libx264"],
    ["x264", "libx264"],
    ["x265", "libx265"],
    ["Lavc61.3.100 h264_nvenc", "h264_nvenc"],
    ["Apple ProRes 422 HQ", "Apple ProRes 422 HQ"],
    ["é".repeat(100), "é".repeat(60)],
  ] as const)
    assert.equal(groupName({ ...FOUND, encoder }, ["encoder"]), name);
});

test("the codec stands for an encoder that is not named, once", () => {
  for (const encoder of [undefined, "", "Lavc61.3.100 "]) {
    assert.equal(groupName({ ...FOUND, encoder }, ["encoder"]), "h264");
    assert.equal(groupName({ ...FOUND, encoder }, ["codec", "encoder", "size"]), "h264 1280×720");
    assert.ok(lacksEncoder({ ...FOUND, encoder }, ["size", "encoder"]));
    assert.ok(!lacksEncoder({ ...FOUND, encoder }, ["size"]));
  }
  assert.ok(!lacksEncoder(FOUND, ["encoder"]));
});
