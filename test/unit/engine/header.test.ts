/** What is taken from ffmpeg's messages about a file, also if its metadata imitates them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HeaderLines } from "../../../src/engine/header.ts";

const PACKETS = ["#tb 0: 1/24000", "#codec_id 0: h264", "#dimensions 0: 320x180", "#sar 0: 1/1"];
const INPUT = "[info] Input #0, mov,mp4,m4a,3gp,3g2,mj2, from 'file:reference.mp4':";
const OUTPUT = "[info] Output #0, framecrc, to 'pipe:1':";
const STREAM =
  "[info]   Stream #0:0: Video: h264 (High), 320x180, q=2-31, 294 kb/s, 23.98 fps, 23.98 tbr, 24k tbn";

function headerOf(messages: readonly string[], packets = PACKETS) {
  const lines = new HeaderLines();
  for (const line of messages) lines.readMessage(line);
  for (const line of packets) lines.readPacket(line);
  return lines.finish();
}

test("takes codec, size, rate and duration", () => {
  const duration = "[info]   Duration: 01:02:03.25, start: 0.000000, bitrate: 297 kb/s";
  const size = { codec: "h264", width: 320, height: 180 };
  assert.deepEqual(headerOf([INPUT, duration, OUTPUT, STREAM]), {
    ...{ ...size, frameRate: 23.98, duration: 3723.25 },
  });
  const unknown = { ...size, frameRate: undefined, duration: undefined };
  assert.deepEqual(headerOf([INPUT, "[info]   Duration: N/A, bitrate: N/A"]), unknown);
  assert.equal(headerOf([OUTPUT, STREAM.replace("23.98 fps", "1k fps")])?.frameRate, 1000);
});

test("ignores metadata that imitates its lines", () => {
  const metadata = [
    "[info]     title           : x",
    "[info]                     :   Duration: 99:00:00.00, start: 0.000000, bitrate: 297 kb/s",
    `[info]     comment         : ${STREAM.slice(9)}`,
    STREAM.replace("23.98 fps", "999 fps"),
    "[info]     comment         : #codec_id 0: evil",
  ];
  const { frameRate, duration, codec } = headerOf([INPUT, ...metadata, OUTPUT, STREAM]) ?? {};
  assert.deepEqual([frameRate, duration, codec], [23.98, undefined, "h264"]);
});

test("returns nothing without a codec or a size", () => {
  for (const packets of [
    [],
    ["#codec_id 0: h264"],
    ["#dimensions 0: 1x1"],
    ["#codec_id 0: <b>", "#dimensions 0: -1x1"],
  ])
    assert.equal(headerOf([INPUT, OUTPUT, STREAM], packets), undefined);
});
