/** The properties of both files, and which differences affect the score. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type MediaInfo, mediaText } from "../../../web/src/job/media-info.ts";
import { propertiesOf } from "../../../web/src/job/media-properties.ts";

const MEDIA: MediaInfo = {
  container: "mp4",
  codec: "h264",
  width: 1920,
  height: 1080,
  pixelFormat: "yuv420p",
  bitDepth: 8,
  frameRate: "30000/1001",
  frames: 1500,
  colorRange: "limited",
  sampleAspectRatio: "",
  rotation: 0,
};

function differing(distorted: Partial<MediaInfo>, reference: Partial<MediaInfo> = {}): string[] {
  const sides = { reference: { ...MEDIA, ...reference }, distorted: { ...MEDIA, ...distorted } };
  return propertiesOf(sides).flatMap(({ name, matters }) => (matters ? [name] : []));
}

test("does not mark differences expected of encodes: container, codec, size, duration and bit rates", () => {
  const sizes = { bytes: 10, duration: 50.05, bitRate: 10, videoBytes: 9, videoBitRate: 9 };
  assert.deepEqual(differing({ container: "webm", codec: "vp9", ...sizes }), []);
});

test("marks differences for which frames are scaled, converted, paired or rotated", () => {
  assert.deepEqual(differing({ width: 1280, height: 720 }), ["Resolution"]);
  assert.deepEqual(differing({ pixelFormat: "yuv420p10le", bitDepth: 10 }), ["Pixel format", "Bit depth"]);
  assert.deepEqual(differing({ frameRate: "25/1", frames: 1250 }), ["Frame rate", "Frames"]);
  assert.deepEqual(differing({ rotation: 90 }), ["Rotation"]);
});

test("marks the sample aspect ratio if the display shape differs", () => {
  const dv = { width: 720, height: 576, sampleAspectRatio: "16:15" };
  const half = { width: 352, height: 576, sampleAspectRatio: "24:11" };
  assert.deepEqual(differing(half, dv), ["Resolution"], "both are shown 4:3");
  assert.deepEqual(differing({ ...dv, sampleAspectRatio: "12:11" }, dv), [], "two conventions for one shape");
  assert.deepEqual(differing({ ...dv, sampleAspectRatio: "64:45" }, dv), ["Sample aspect ratio"]);
  const upright = { width: 576, height: 720, rotation: 90, sampleAspectRatio: "15:16" };
  assert.deepEqual(differing(upright, dv), ["Resolution", "Rotation"]);
});

test("an unspecified frame rate does not differ; an unspecified colour range is limited", () => {
  assert.deepEqual(differing({ frameRate: "" }), []);
  assert.deepEqual(differing({ frameRate: "60/2" }, { frameRate: "30/1" }), []);
  assert.deepEqual(differing({ colorRange: "" }), []);
  assert.deepEqual(differing({ colorRange: "full" }, { colorRange: "" }), ["Colour range"]);
  assert.deepEqual(differing({ colorRange: "full" }), ["Colour range"]);
});

test("marks other transfer functions only if one side is HDR", () => {
  const transfers = (reference: string, distorted: string) =>
    differing({ colorTransfer: distorted }, { colorTransfer: reference });
  assert.deepEqual(transfers("smpte2084", "bt709"), ["Transfer"]);
  assert.deepEqual(transfers("arib-std-b67", "smpte2084"), ["Transfer"]);
  assert.deepEqual(transfers("bt709", "smpte170m"), []);
  assert.deepEqual(transfers("smpte2084", ""), []);
});

test('omits properties that neither file has, and shows "not specified" if one lacks it', () => {
  const names = propertiesOf({ reference: MEDIA, distorted: MEDIA }).map(({ name }) => name);
  assert.ok(!names.includes("Video bit rate") && names.includes("Colour range"), names.join());
  const one = propertiesOf({
    reference: { ...MEDIA, frameRate: "" },
    distorted: { ...MEDIA, videoBitRate: 4_200_000 },
  });
  const texts = one.map(({ name, reference, distorted }) => `${name}: ${reference}, ${distorted}`);
  assert.ok(texts.includes("Video bit rate: not specified, 4.20 Mbit/s"), texts.join("; "));
  assert.ok(texts.includes("Frame rate: not specified, 29.97 fps (30000/1001)"), texts.join("; "));
});

test("summarizes a file", () => {
  const rates = { bitRate: 5_000_000, videoBitRate: 4_200_000 };
  assert.equal(
    mediaText({ ...MEDIA, ...rates }),
    "h264 · 1920×1080 · 29.97 fps · 4.20 Mbit/s video, 5.00 Mbit/s overall",
  );
  assert.equal(mediaText({ ...MEDIA, frameRate: "" }), "h264 · 1920×1080");
});
