/** Diagnoses of videos that are longer than what is looked at of their beginnings. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Diagnosis } from "../../src/engine/contract/diagnosis.ts";
import { type PairRequest, pairRequest } from "../../src/engine/contract/request.ts";
import type { ScoreResult } from "../../src/engine/contract/result.ts";
import { Fixture } from "../engine/fixture.ts";
import { LOSSY, remux } from "../media/clips.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { film } from "../media/film.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";

const FRAMES = 4200;
/** The frames that show the same if the distorted video lacks frame 3000. */
const WITHOUT_3000 = [
  { reference: 0, distorted: 0, count: 3000 },
  { reference: 3001, distorted: 3000, count: 1199 },
];

describe("the diagnosis of a long film", () => {
  let fixture: Fixture;
  let reference: string;
  let clean: string;
  before(async () => {
    fixture = await Fixture.open();
    reference = await film(fixture.media, "reference.y4m", FRAMES);
    clean = fixture.media.file("clean.mp4");
    await ffmpeg(["-i", reference, ...LOSSY.h264, clean]);
  });
  after(() => fixture.close());

  async function diagnose(distorted: string): Promise<Diagnosis> {
    const engine = await fixture.engine();
    return engine.diagnose(pairRequest({ reference, distorted }), { timeoutMs: WAIT_LIMIT_MS });
  }

  async function score(distorted: string, over: Partial<PairRequest>): Promise<ScoreResult> {
    const engine = await fixture.engine();
    return engine.score(pairRequest({ reference, distorted, ...over }), { timeoutMs: WAIT_LIMIT_MS });
  }

  test("reports no fault for an encode, and what it did not examine", async () => {
    const { findings, runs, checked, fix } = await diagnose(clean);
    assert.deepEqual(named(findings), [["NOT_CHECKED", "possible"]]);
    assert.equal(findings[0]?.evidence, "Looked at 3000 of 4200 frames, in 7 spans.");
    assert.deepEqual(runs, [{ reference: 0, distorted: 0, count: FRAMES }]);
    for (const side of ["reference", "distorted"] as const) {
      assert.deepEqual(checked[side][0], { first: 0, count: 1500 });
      assert.deepEqual(checked[side].at(-1), { first: FRAMES - 250, count: 250 });
    }
    assert.equal(fix, undefined);
  });

  test("finds a frame that was lost late, and its repair restores the exact scores", async () => {
    const faulty = fixture.media.file("faulty.mkv");
    await ffmpeg(["-i", clean, "-vf", "select=not(eq(n\\,3000)),setpts=N/25/TB", ...LOSSY.ffv1, faulty]);
    const repaired = await score(faulty, { fix: true });
    assert.deepEqual(repaired.alignment?.runs, WITHOUT_3000);
    assert.deepEqual(
      repaired.findings.map(({ code, frames, fixed }) => [code, frames, fixed]),
      [["FRAMES_DROPPED", { first: 3000, count: 1 }, true]],
    );
    const same = WITHOUT_3000.map((run) => ({ ...run, distorted: run.reference }));
    const truth = await score(clean, { runs: same });
    assert.deepEqual([...repaired.frames.rows()], [...truth.frames.rows()]);
  });

  test("looks only at the beginning of a file that cannot be cut, and says why", async () => {
    const distorted = await remux(fixture.media, clean, "clean.ts");
    const { findings, runs } = await diagnose(distorted);
    assert.deepEqual(named(findings), [["NOT_CHECKED", "possible"]]);
    const evidence = findings[0]?.evidence ?? "";
    assert.match(evidence, /^Looked at 1500 of 4200 frames, in 1 span\. The distorted video cannot be cut: /);
    assert.deepEqual(runs, [{ reference: 0, distorted: 0, count: 1500 }]);
  });

  test("stops when it is aborted", async () => {
    const engine = await fixture.engine();
    const signal = AbortSignal.timeout(500);
    const request = pairRequest({ reference, distorted: clean });
    await assert.rejects(engine.diagnose(request, { signal }), { code: "SCORE_CANCELLED" });
    assert.deepEqual(await fixture.media.leftovers(), []);
  });
});

function named(findings: Diagnosis["findings"]): (readonly [code: string, confidence: string])[] {
  return findings.map(({ code, confidence }) => [code, confidence]);
}
