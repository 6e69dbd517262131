import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_COMPARISON, requestOf } from "../../../web/src/comparisons/comparison-draft.ts";

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
});
