import assert from "node:assert/strict";
import { test } from "node:test";
import type { DecodedPair } from "../../../../src/engine/doctor/areas.ts";
import { examine, findingsOf } from "../../../../src/engine/doctor/examine.ts";
import { CHROMA, LUMA, PICTURE_BYTES, Pictures } from "../../../../src/engine/media/pictures.ts";
import { track } from "../track-fixture.ts";
import { picturesOf, span } from "./time/moving-texture.ts";

test("reports the stated tags of videos whose pictures have nothing in common", async () => {
  const tracks = {
    reference: track("reference", { transfer: "bt709", primaries: "bt709" }),
    distorted: track("distorted", { transfer: "smpte2084", primaries: "bt2020" }),
  };
  const pair = { tracks } as DecodedPair;
  const pictures = { reference: picturesOf(1, span(0, 30)), distorted: picturesOf(2, span(0, 30)) };
  const examination = await examine(pair, { pictures, ratio: 1 }, async () => undefined);
  const counts = { reference: 30, distorted: 30 };
  const codes = findingsOf(examination, { first: 0, counts, totals: counts }).map(
    ({ code, confidence }) => `${confidence} ${code}`,
  );
  assert.deepEqual(codes.sort(), [
    "certain OTHER_CONTENT",
    "likely PRIMARIES_DIFFER",
    "likely TRANSFER_DIFFERS",
  ]);
});

test("reports other content beside a side that stands still, too", async () => {
  const pair = { tracks: { reference: track("reference"), distorted: track("distorted") } } as DecodedPair;
  const still = span(0, 30).map(() => 40);
  const pictures = { reference: picturesOf(1, still, { noise: 0 }), distorted: picturesOf(2, span(0, 30)) };
  const { areas, time } = await examine(pair, { pictures, ratio: 1 }, async () => undefined);
  assert.deepEqual(
    areas.map(({ code, confidence }) => `${confidence} ${code}`),
    ["likely FROZEN", "likely OTHER_CONTENT"],
  );
  assert.equal(time, undefined);
});

/** Pictures whose chroma follows their luma, with the luma that another matrix gives them. */
function ofOneHue(pictures: Pictures, luma: (y: number, u: number, v: number) => number): Pictures {
  const [size, chromaSize] = [LUMA.width * LUMA.height, CHROMA.width * CHROMA.height];
  const step = LUMA.width / CHROMA.width;
  const bytes = new Uint8Array(pictures.count * PICTURE_BYTES);
  const hue = (y: number): [u: number, v: number] => [0.5 * (y - 125), 0.3 * (y - 125)];
  for (let index = 0; index < pictures.count; index++) {
    const own = pictures.luma(index);
    const at = index * PICTURE_BYTES;
    for (const [place, y] of own.entries()) bytes[at + place] = Math.round(luma(y, ...hue(y)));
    for (let place = 0; place < chromaSize; place++) {
      const row = step * Math.floor(place / CHROMA.width);
      const y = own[row * LUMA.width + step * (place % CHROMA.width)] as number;
      const [u, v] = hue(y);
      bytes[at + size + place] = 128 + u;
      bytes[at + size + chromaSize + place] = 128 + v;
    }
  }
  return new Pictures(bytes);
}

test("does not warn of levels that another matrix explains, if the pictures leave it open", async () => {
  const tracks = { reference: track("reference"), distorted: track("distorted") };
  const pairing = { turn: [], crop: {}, mirror: {} };
  const pair = { tracks, pairing } as unknown as DecodedPair;
  const shown = picturesOf(1, span(0, 30));
  const levelsOf = async (luma: (y: number, u: number, v: number) => number) => {
    const pictures = { reference: ofOneHue(shown, (y) => y), distorted: ofOneHue(shown, luma) };
    const { samples } = await examine(pair, { pictures, ratio: 1 }, async () => undefined);
    return samples.filter(({ code }) => code === "LEVELS_DIFFER").map(({ confidence }) => confidence);
  };
  assert.deepEqual(await levelsOf((y, u, v) => y + 0.0993 * u + 0.1917 * v), ["possible"]);
  assert.deepEqual(await levelsOf((y) => y + 8), ["likely"]);
});
