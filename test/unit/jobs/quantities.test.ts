import assert from "node:assert/strict";
import { test } from "node:test";
import { bitRatesText } from "../../../src/jobs/quantities.ts";

test("shows the bit rate of the video, and of the file if its text differs", () => {
  assert.equal(
    bitRatesText({ videoBitRate: 1_200_000, bitRate: 1_330_000 }),
    "1.20 Mbit/s video, 1.33 Mbit/s overall",
  );
  assert.equal(bitRatesText({ videoBitRate: 1_200_000, bitRate: 1_200_400 }), "1.20 Mbit/s");
  assert.equal(bitRatesText({ videoBitRate: 900 }), "900 bit/s");
});

test("says whole file if the bit rate of the video is unknown", () => {
  assert.equal(bitRatesText({ bitRate: 1_330_000 }), "1.33 Mbit/s whole file");
  assert.equal(bitRatesText({}), undefined);
});
