/** Mismatched pairs are refused with their fix, and repaired ones have the digits of the pair without the fault. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Finding, FindingCode, Fix } from "../../src/engine/contract/finding.ts";
import { type PairRequest, pairRequest } from "../../src/engine/contract/request.ts";
import type { ScoreResult } from "../../src/engine/contract/result.ts";
import { Fixture, SCORERS, warningCodes } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";

const FILM = { ...SCENE, width: 320, height: 180, frames: 100 };
/** Frames of a segment of cut scores; each is looked at by itself. */
const CUT = 36;

/** A fault of a video, made without a change of any sample. */
interface Fault {
  readonly what: string;
  readonly filters: string;
  readonly code: FindingCode;
  readonly fix: Fix;
  /** What a request for the pair without the fault says, so that it compares the same frames. */
  readonly same?: Partial<PairRequest>;
}

const LOST = [
  { reference: 0, distorted: 0, count: 40 },
  { reference: 43, distorted: 40, count: 57 },
];

const FAULTS: readonly Fault[] = [
  {
    what: "lacks its beginning",
    filters: "trim=start_frame=7,setpts=PTS-STARTPTS",
    code: "OFFSET",
    fix: { offset: -7 },
    same: { start: 7 },
  },
  {
    what: "lost frames",
    filters: "select=not(between(n\\,40\\,42)),setpts=N/25/TB",
    code: "FRAMES_DROPPED",
    fix: { runs: LOST },
    same: { runs: LOST.map((run) => ({ ...run, distorted: run.reference })) },
  },
  {
    what: "got bars",
    filters: "pad=320:220:0:20",
    code: "BARS",
    fix: { crop: { distorted: { x: 0, y: 20, width: 320, height: 180 } } },
  },
  { what: "was mirrored", filters: "hflip", code: "MIRRORED", fix: { mirror: { distorted: "HORIZONTAL" } } },
];

for (const scorer of SCORERS) {
  describe(`findings, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let reference: string;
    let clean: string;
    before(async () => {
      fixture = await Fixture.open();
      reference = await pristine(fixture.media, "reference.y4m", FILM);
      clean = await encode(fixture.media, "clean.mp4", FILM, LOSSY.h264);
    });
    after(() => fixture.close());

    async function score(distorted: string, over: Partial<PairRequest> = {}, segmentFrames?: number) {
      const engine = await fixture.engine(scorer);
      const request = pairRequest({ reference, distorted, onFrameCountMismatch: "COMMON", ...over });
      return engine.score(request, { timeoutMs: WAIT_LIMIT_MS, ...(segmentFrames && { segmentFrames }) });
    }

    test("an encode has no findings, and exactly the same scores as without a diagnosis", async () => {
      const plain = await score(clean, { findings: { action: "IGNORE" } });
      for (const segmentFrames of [undefined, CUT]) {
        const { findings, cutting, frames } = await score(clean, {}, segmentFrames);
        assert.deepEqual(findings, []);
        assert.equal(cutting.segments, segmentFrames === undefined ? 1 : 3);
        assert.deepEqual([...frames.rows()], [...plain.frames.rows()]);
      }
    });

    for (const { what, filters, code, fix, same = {} } of FAULTS)
      test(`a video that ${what} is refused, and its repair restores the exact scores`, async () => {
        const faulty = fixture.media.file(`${code}.mkv`);
        await ffmpeg(["-i", clean, "-vf", filters, ...LOSSY.ffv1, faulty]);
        const pair = { reference, distorted: faulty, onFrameCountMismatch: "COMMON" } as const;
        const refused = await fixture.expectFailure(pair, "PAIR_MISMATCH", { scorer });
        const found = refused.found as { findings: Finding[]; fix: Fix; remedy: unknown };
        assert.deepEqual(found.findings.map((finding) => finding.code).slice(0, 1), [code]);
        assert.deepEqual([found.fix, found.remedy], [fix, { option: "fix", value: true }]);
        const truth = await score(clean, same);
        for (const segmentFrames of [undefined, CUT]) {
          const repaired = await score(faulty, { fix: true }, segmentFrames);
          assert.deepEqual([...repaired.frames.rows()], [...truth.frames.rows()]);
          assert.equal(fixed(repaired)[0], code);
          const byHand = await score(faulty, fix, segmentFrames);
          assert.deepEqual([...byHand.frames.rows()], [...truth.frames.rows()]);
          assert.deepEqual(byHand.findings, []);
        }
      });

    test("the repair of several faults together restores the exact scores", async () => {
      const faulty = fixture.media.file("all.mkv");
      const filters = "trim=start_frame=7,setpts=PTS-STARTPTS,pad=320:220:0:20,hflip";
      await ffmpeg(["-i", clean, "-vf", filters, ...LOSSY.ffv1, faulty]);
      const truth = await score(clean, { start: 7 });
      const repaired = await score(faulty, { fix: true });
      assert.deepEqual([...repaired.frames.rows()], [...truth.frames.rows()]);
      assert.deepEqual(fixed(repaired).slice(0, 3), ["MIRRORED", "BARS", "OFFSET"]);
    });

    test("a fault in a later segment refuses a pair that is scored in segments", async () => {
      const faulty = fixture.media.file("late.mkv");
      await ffmpeg(["-i", clean, "-vf", "select=not(eq(n\\,50)),setpts=N/25/TB", ...LOSSY.ffv1, faulty]);
      const pair = { reference, distorted: faulty, onFrameCountMismatch: "COMMON" } as const;
      const options = { options: { segmentFrames: CUT }, scorer };
      const { found } = await fixture.expectFailure(pair, "PAIR_MISMATCH", options);
      assert.match(JSON.stringify(found), /Frame 50 of the reference is missing/);
    });
  });
}

describe("findings", () => {
  let fixture: Fixture;
  let reference: string;
  let late: string;
  before(async () => {
    fixture = await Fixture.open();
    reference = await pristine(fixture.media, "reference.y4m", FILM);
    const longer = { ...FILM, frames: 104, filters: "trim=start_frame=4,setpts=PTS-STARTPTS" };
    late = await encode(fixture.media, "late.mp4", longer, LOSSY.h264);
  });
  after(() => fixture.close());

  async function score(over: Partial<PairRequest>): Promise<ScoreResult> {
    const engine = await fixture.engine();
    return engine.score(pairRequest({ reference, distorted: late, ...over }));
  }

  test("warn or are left out, as requested, and change no score", async () => {
    const warned = await score({ findings: { action: "WARN" } });
    assert.deepEqual(
      warned.findings.map(({ code, confidence, size, fix }) => ({ code, confidence, size, fix })),
      [{ code: "OFFSET", confidence: "certain", size: -4, fix: { offset: -4 } }],
    );
    assert.deepEqual(warningCodes(warned), ["OFFSET"]);
    const ignored = await score({ findings: { codes: { OFFSET: "IGNORE" } } });
    const unseen = await score({ findings: { action: "IGNORE" } });
    for (const result of [ignored, unseen]) {
      assert.deepEqual([result.findings, result.warnings], [[], []]);
      assert.deepEqual([...result.frames.rows()], [...warned.frames.rows()]);
    }
  });

  test("say where frames were added in or before a still beginning, and repair both alike", async () => {
    const clean = await encode(fixture.media, "clean.mp4", FILM, LOSSY.h264);
    const held = async (name: string, of: string, frames: number) => {
      const filters = `tpad=start=${frames}:start_mode=clone`;
      await ffmpeg(["-i", of, "-vf", filters, ...LOSSY.ffv1, fixture.media.file(name)]);
      return fixture.media.file(name);
    };
    const still = await held("still.mkv", reference, 40);
    const same = { reference: still, distorted: await held("same.mkv", clean, 40) };
    const faulty = {
      ...same,
      distorted: await held("longer.mkv", clean, 50),
      onFrameCountMismatch: "COMMON",
    } as const;
    const { found } = await fixture.expectFailure(faulty, "PAIR_MISMATCH");
    const { findings, fix } = found as { findings: Finding[]; fix: Fix };
    assert.deepEqual(
      [findings.map(({ code }) => code), fix],
      [["TIME_UNCLEAR", "NOT_CHECKED"], { offset: 10 }],
    );
    assert.match(
      findings[0]?.evidence ?? "",
      /has 10 frames more before or among frames 0 to \d+ of the reference/,
    );
    const engine = await fixture.engine();
    const [truth, repaired] = await Promise.all(
      [same, { ...faulty, fix: true }].map((pair) => engine.score(pairRequest(pair))),
    );
    assert.deepEqual([...(repaired?.frames.rows() ?? [])], [...(truth?.frames.rows() ?? [])]);
    assert.deepEqual(repaired && fixed(repaired), ["TIME_UNCLEAR"]);
  });

  test("are not refused if the request itself sets what they are about", async () => {
    const wrong = await score({ offset: -3 });
    assert.deepEqual(
      wrong.findings.map(({ code, confidence, fix }) => [code, confidence, fix]),
      [["OFFSET", "likely", undefined]],
    );
  });

  test("are repaired in the plan of a job, whose nodes need not find them again", async () => {
    const engine = await fixture.engine();
    const request = pairRequest({ reference, distorted: late, fix: true });
    const planned = await engine.plan(request, { segments: { seconds: 1.5 }, timeoutMs: WAIT_LIMIT_MS });
    assert.equal(planned.frameCount, 96);
    for (const { segment } of planned.segments) {
      const { findings } = await engine.scoreSegment({ request, plan: planned.plan, segment });
      assert.deepEqual(findings, []);
    }
    const plain = { ...request, fix: false };
    const { plan } = planned;
    await assert.rejects(engine.scoreSegment({ request: plain, plan, segment: undefined }), {
      code: "INVALID_REQUEST",
    });
  });

  test("of an estimate are those of the first frames", async () => {
    const failure = await fixture.expectFailure({ reference, distorted: late }, "PAIR_MISMATCH", {
      options: { sample: { tolerance: 10, seed: 1 } },
    });
    assert.match(failure.message, /lacks the first 4 frames/);
  });
});

function fixed({ findings }: ScoreResult): FindingCode[] {
  return findings.filter((finding) => finding.fixed).map(({ code }) => code);
}
