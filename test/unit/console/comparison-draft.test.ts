import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_COMPARISON, pairsOf, requestOf } from "../../../web/src/comparisons/comparison-draft.ts";

const DRAFT = { ...EMPTY_COMPARISON, reference: " /v/a=b.mov " };

test("describes no request without a reference or an encode", () => {
  assert.equal(requestOf({ ...EMPTY_COMPARISON, encodes: "/v/a.mp4" }), undefined);
  assert.equal(requestOf({ ...DRAFT, encodes: " \n\n" }), undefined);
});

test("reads a ladder before the first =, unless that is a part of the path", () => {
  const encodes = "x264=/v/a=1.mp4\n /v/b=2.mp4\ns3://bucket/key?versionId=3\n x265 = c.mp4 ";
  assert.deepEqual(requestOf({ ...DRAFT, encodes }), {
    settings: {},
    pairs: [
      { reference: "/v/a=b.mov", distorted: "/v/a=1.mp4", ladder: "x264" },
      { reference: "/v/a=b.mov", distorted: "/v/b=2.mp4" },
      { reference: "/v/a=b.mov", distorted: "s3://bucket/key?versionId=3" },
      { reference: "/v/a=b.mov", distorted: "c.mp4", ladder: "x265" },
    ],
  });
});

test("leaves out empty fields", () => {
  const draft = { ...DRAFT, name: " n ", encodes: "/v/a.mp4", models: "v1, vmaf_v0.6.1", features: ["psnr"] };
  const request = requestOf(draft);
  assert.equal(request?.name, "n");
  assert.deepEqual(request?.settings, { models: ["v1", "vmaf_v0.6.1"], features: ["psnr"] });
  const gated = requestOf({ ...draft, gates: " vmaf.mean=93, psnr_y.min=30 " });
  assert.deepEqual(gated?.settings?.gates, ["vmaf.mean=93", "psnr_y.min=30"]);
});

test("names ladders after the chosen parts, by default after the codec", () => {
  const groupOf = (groupBy: readonly string[]) =>
    requestOf({ ...DRAFT, encodes: "/v/a.mp4", groupBy })?.groupBy;
  assert.deepEqual(groupOf(["size", "encoder"]), ["size", "encoder"]);
  assert.equal(groupOf(["codec"]), undefined);
  assert.equal(groupOf([]), undefined);
});

test("the pairs to add are those of a request", () => {
  const encodes = "x264=/v/a.mp4\n/v/b.mp4";
  assert.deepEqual(pairsOf({ reference: DRAFT.reference, encodes }), requestOf({ ...DRAFT, encodes })?.pairs);
  assert.equal(pairsOf({ reference: " ", encodes }), undefined);
  assert.equal(pairsOf({ reference: "/r", encodes: " \n" }), undefined);
});
