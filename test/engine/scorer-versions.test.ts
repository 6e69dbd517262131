/** Which of a machine's scorers scores: the default one, or that of the requested version; plans find theirs again. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { AvailableScorer } from "../../src/engine/contract/work.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { Fixture } from "./fixture.ts";

describe("a machine with several scorers", () => {
  let fixture: Fixture;
  let engine: Engine;
  let pair: { reference: string; distorted: string };
  let scorers: readonly AvailableScorer[];

  before(async () => {
    fixture = await Fixture.open();
    engine = await fixture.engine();
    pair = {
      reference: await pristine(fixture.media, "reference.y4m"),
      distorted: await encode(fixture.media, "distorted.mp4", {}, LOSSY.h264),
    };
    scorers = await engine.scorers();
  });
  after(() => fixture.close());

  test("lists the default first, and each version once", () => {
    assert.deepEqual(scorers[0]?.scorer, engine.scorer);
    const versions = scorers.map(({ scorer }) => scorer.libvmafVersion);
    assert.equal(new Set(versions).size, versions.length);
    assert.ok(versions.length >= 2, "the installed scorer and its predecessor");
    assert.ok(scorers[0]?.models.some(({ name }) => name === "v1"));
    assert.ok(scorers.every(({ models }) => models.every(({ name }) => !name.includes("_b_"))));
  });

  test("scores with the requested version, and with no other", async () => {
    const scores = new Map<string, number>();
    for (const { scorer } of scorers) {
      const [build = ""] = scorer.version.split("-");
      for (const scorerVersion of [scorer.version, scorer.libvmafVersion, build]) {
        const result = await engine.score(pairRequest({ ...pair, scorerVersion }));
        assert.deepEqual(result.scorer, scorer, scorerVersion);
        scores.set(scorer.libvmafVersion, result.score);
      }
    }
    const [least, most] = [Math.min(...scores.values()), Math.max(...scores.values())];
    // libvmaf 86da14d mirrors borders otherwise, which moves the score of small pictures most.
    assert.ok(most !== least && most - least < 0.01, `${least} and ${most}`);
  });

  test("refuses a version that it does not have, and a model that the version does not have", async () => {
    const failure = await fixture.expectFailure({ ...pair, scorerVersion: "n0.0" }, "UNKNOWN_SCORER");
    assert.match(failure.message, /n0\.0.*Available versions: .*libvmaf/);
    const [, older] = scorers;
    const scorerVersion = older?.scorer.version;
    await fixture.expectFailure({ ...pair, scorerVersion, models: ["v1"] }, "UNKNOWN_MODEL");
  });

  test("a plan is scored by the scorer that it was made for", async () => {
    for (const { scorer } of scorers) {
      const request = pairRequest({ ...pair, scorerVersion: scorer.version });
      const { plan } = await engine.plan(request, { segments: { seconds: 1 } });
      const { table } = await engine.scoreSegment({ request, plan, segment: undefined });
      const whole = await engine.score(request);
      for (let row = 0; row < table.length; row++)
        assert.equal(table.value("vmaf", row), whole.frames.value("vmaf", row));
    }
  });
});
