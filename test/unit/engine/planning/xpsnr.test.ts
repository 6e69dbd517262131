import assert from "node:assert/strict";
import { test } from "node:test";
import { pairRequest } from "../../../../src/engine/contract/request.ts";
import { pair } from "../../../../src/engine/planning/compare.ts";
import { refuseXpsnr, xpsnrOf, xpsnrWarnings } from "../../../../src/engine/planning/xpsnr.ts";
import { track } from "../track-fixture.ts";

function pairOf(over: Parameters<typeof track>[1]) {
  const tracks = { reference: track("reference", over), distorted: track("distorted", over) };
  const request = pairRequest({ reference: "r", distorted: "d" });
  return { tracks, pairing: pair(tracks.reference, tracks.distorted, request) };
}

test("knows two classes of rates, and looks back one frame or two", () => {
  const classOf = (rate: { num: number; den: number } | undefined) => {
    const { rate: used, lookBehind } = xpsnrOf(pairOf({ rate }));
    return [used, lookBehind];
  };
  for (const rate of [undefined, { num: 25, den: 1 }, { num: 30000, den: 1001 }, { num: 31999, den: 1000 }])
    assert.deepEqual(classOf(rate), [25, 1]);
  for (const rate of [
    { num: 32, den: 1 },
    { num: 60000, den: 1001 },
  ])
    assert.deepEqual(classOf(rate), [50, 2]);
});

test("takes more than 8 bits only where the filter is right, and warns otherwise", () => {
  const of = (pixelFormat: string, width: number) => {
    const both = pairOf({ pixelFormat, width });
    const codes = xpsnrWarnings(["xpsnr"], both.pairing).map(({ code }) => code);
    assert.deepEqual(xpsnrWarnings(["psnr"], both.pairing), []);
    return [xpsnrOf(both).format, ...codes];
  };
  assert.deepEqual(of("yuv420p", 1001), ["yuv420p"]);
  assert.deepEqual(of("yuv420p10le", 1920), ["yuv420p10le"]);
  assert.deepEqual(of("yuv444p12le", 1280), ["yuv444p12le"]);
  assert.deepEqual(of("yuv420p10le", 1888), ["yuv420p", "XPSNR_AT_8_BITS"]);
  assert.deepEqual(of("yuv444p10le", 1888), ["yuv444p", "XPSNR_AT_8_BITS"]);
  assert.deepEqual(of("yuv420p16le", 1920), ["yuv420p", "XPSNR_AT_8_BITS"]);
});

test("refuses large pictures of odd sizes", () => {
  const refused = (width: number, height: number) => {
    try {
      refuseXpsnr(["psnr", "xpsnr"], { width, height, format: "yuv420p" });
      return false;
    } catch (error) {
      assert.equal((error as { code?: string }).code, "MEDIA_TOO_LARGE");
      return true;
    }
  };
  assert.ok(refused(2049, 1153) && refused(3840, 2161) && refused(3841, 2160));
  assert.ok(!refused(3840, 2160) && !refused(2047, 1151));
  refuseXpsnr(["psnr"], { width: 3841, height: 2161, format: "yuv420p" });
});
