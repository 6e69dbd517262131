import assert from "node:assert/strict";
import { test } from "node:test";
import { bitRatesText, fetchText } from "../../../src/jobs/quantities.ts";

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

test("shows both sizes of a fetch in the unit of the total", () => {
  assert.equal(fetchText({ bytesDone: 1.21e9, bytesTotal: 3.4e9 }), "Fetching videos: 1.2 of 3.4 GB");
  assert.equal(fetchText({ bytesDone: 0, bytesTotal: 1000 }), "Fetching videos: 0.0 of 1.0 kB");
  assert.equal(fetchText({ bytesDone: 3, bytesTotal: 999 }), "Fetching videos: 3 of 999 B");
  assert.equal(fetchText({ bytesDone: 0, bytesTotal: 0 }), "Fetching videos: 0 of 0 B");
  assert.equal(fetchText({ bytesDone: 2 ** 50, bytesTotal: 2e16 }), "Fetching videos: 1125.9 of 20000.0 TB");
});
