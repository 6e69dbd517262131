import assert from "node:assert/strict";
import { test } from "node:test";
import type { DecodedPair } from "../../../../src/engine/doctor/areas.ts";
import { examine, findingsOf } from "../../../../src/engine/doctor/examine.ts";
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
