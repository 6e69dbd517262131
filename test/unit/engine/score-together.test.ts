/** Which pairs one process scores: those that use the same frames of a reference, as far as memory allows. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pairRequest } from "../../../src/engine/contract/request.ts";
import { pair } from "../../../src/engine/planning/compare.ts";
import { groupsOf, type Whole } from "../../../src/engine/score-together.ts";
import type { Scorer } from "../../../src/engine/scoring/scorer.ts";
import { model } from "./model-fixture.ts";
import { track } from "./track-fixture.ts";

const FFMPEG = { scoreTogether: async () => [] } as unknown as Scorer;
const VMAF = {} as Scorer;
/** Bytes of a run of 1280x720 with two threads: 290 per pixel, and 50 for each thread. */
const RUN = 1280 * 720 * (290 + 2 * 50);

interface Named extends Whole {
  readonly name: string;
}

function named(name: string, reference = "r.mp4", frames = 100): Named {
  const request = pairRequest({ reference, distorted: name, onFrameCountMismatch: "COMMON" });
  const tracks = { reference: track("reference"), distorted: track("distorted", { frames }) };
  const source = (path: string) => ({ path, size: 1, modifiedMs: 1, extension: "mp4" });
  const sources = { reference: source(reference), distorted: source(name) };
  const plan = {
    request,
    tracks,
    pairing: pair(tracks.reference, tracks.distorted, request),
    models: [model("vmaf_v0.6.1")],
  };
  return { name, plan, sources } as unknown as Named;
}

function groups(pairs: readonly Named[], bytes: number, scorer = FFMPEG): readonly string[] {
  const found = groupsOf(pairs, { scorer, threads: 2 }, bytes);
  return found.map((group) => group.map(({ name }) => name).join(" "));
}

describe("groupsOf", () => {
  const [a, b, c] = [named("a"), named("b"), named("c")];

  test("joins encodes of one reference", () => {
    assert.deepEqual(groups([a, b, c], 100 * RUN), ["a b c"]);
  });

  test("begins another group when the memory is used up, and scores one pair in any case", () => {
    assert.deepEqual(groups([a, b, c], 2 * RUN), ["a b", "c"]);
    assert.deepEqual(groups([a, b, c], 2 * RUN - 1), ["a", "b", "c"]);
    assert.deepEqual(groups([a, b], 0), ["a", "b"]);
  });

  test("keeps pairs apart that have another reference, or compare other frames of it", () => {
    const [other, shorter] = [named("other", "r2.mp4"), named("shorter", "r.mp4", 90)];
    assert.deepEqual(groups([a, other, b, shorter], 100 * RUN), ["a b", "other", "shorter"]);
  });

  test("leaves each pair alone for a scorer that compares two files", () => {
    assert.deepEqual(groups([a, b], 100 * RUN, VMAF), ["a", "b"]);
  });
});
