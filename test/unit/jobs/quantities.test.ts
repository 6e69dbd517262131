import assert from "node:assert/strict";
import { test } from "node:test";
import { bitRatesText } from "../../../src/jobs/quantities.ts";

test("shows the video's bit rate, and the file's where it reads differently", () => {
  assert.equal(
    bitRatesText({ videoBitRate: 1_200_000, bitRate: 1_330_000 }),
    "1.20 Mbit/s video, 1.33 Mbit/s overall",
  );
  assert.equal(bitRatesText({ videoBitRate: 1_200_000, bitRate: 1_200_400 }), "1.20 Mbit/s");
  assert.equal(bitRatesText({ videoBitRate: 900 }), "900 bit/s");
});

test("says whole file where the video's bit rate is not known", () => {
  assert.equal(bitRatesText({ bitRate: 1_330_000 }), "1.33 Mbit/s whole file");
  assert.equal(bitRatesText({}), undefined);
});
