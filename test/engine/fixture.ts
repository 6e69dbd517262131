/** The common fixture of the engine's tests: scorers, a media directory, and checks of results and failures. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type PairRequest, pairRequest } from "../../src/engine/contract/request.ts";
import type { ScoreResult } from "../../src/engine/contract/result.ts";
import type { Engine, EngineOptions, ScoreOptions } from "../../src/engine/engine.ts";
import { openEngine } from "../../src/engine/open.ts";
import { Failure, type FailureCode } from "../../src/platform/failure.ts";
import { MediaDirectory } from "../media/directory.ts";
import type { Truth } from "../media/truth.ts";
import { assertPooled, assertSameDigits } from "./digits.ts";

/** Netflix's vmaf: the real one if SVC_TEST_VMAF is set, else the stand-in. */
const REAL_VMAF = process.env["SVC_TEST_VMAF"];
const VMAF = REAL_VMAF ?? fileURLToPath(new URL("../standin/vmaf", import.meta.url));

/** Both kinds of scoring executable. Every exactness case holds for each. */
export const SCORERS = [
  { kind: "ffmpeg", scorerPath: undefined, oracle: undefined },
  { kind: "vmaf", scorerPath: VMAF, oracle: REAL_VMAF },
] as const;
export type Scorer = (typeof SCORERS)[number];

export type Pair = Pick<PairRequest, "reference" | "distorted"> & Partial<PairRequest>;

export class Fixture {
  readonly media: MediaDirectory;
  readonly #engines = new Map<string, Promise<Engine>>();

  private constructor(media: MediaDirectory) {
    this.media = media;
  }

  static async open(): Promise<Fixture> {
    return new Fixture(await MediaDirectory.open());
  }

  /** Returns an engine for a scorer; the same one for the same options. */
  engine(scorer: Pick<Scorer, "scorerPath"> = SCORERS[0], options: EngineOptions = {}): Promise<Engine> {
    const key = JSON.stringify([scorer.scorerPath, options]);
    const open =
      this.#engines.get(key) ?? openEngine({ threads: 2, scorerPath: scorer.scorerPath, ...options });
    this.#engines.set(key, open);
    return open;
  }

  /** Scores a pair, and checks for the oracle's digits and pooled values and that nothing is left behind. */
  async expectExact(scorer: Scorer, pair: Pair, truth: Truth): Promise<ScoreResult> {
    const engine = await this.engine(scorer);
    const result = await engine.score(digitsOf(pair), { timeoutMs: 300_000 });
    assertSameDigits(result, truth);
    assertPooled(result, truth);
    assert.deepEqual(await this.media.leftovers(), []);
    return result;
  }

  /**
   * As expectExact, for a pair scored in segments of about this many frames. A fallback to a whole run, which would hide
   * a wrong cut, fails.
   */
  async expectExactCut(
    scorer: Scorer,
    pair: Pair,
    truth: Truth,
    segmentFrames: number,
  ): Promise<ScoreResult> {
    const engine = await this.engine(scorer);
    const result = await engine.score(digitsOf(pair), { timeoutMs: 300_000, segmentFrames });
    assert.equal(result.cutting.whole, undefined);
    assert.ok(result.cutting.segments > 1, "scored in segments");
    assertSameDigits(result, truth);
    assertPooled(result, truth);
    assert.deepEqual(await this.media.leftovers(), []);
    return result;
  }

  /** Scores a pair, and checks for one of these failures with a readable message and that nothing is left behind. */
  async expectFailure(
    pair: Pair,
    codes: FailureCode | readonly FailureCode[],
    {
      scorer = SCORERS[0],
      options = {},
      engine,
    }: { scorer?: Scorer; options?: ScoreOptions; engine?: Engine } = {},
  ): Promise<Failure> {
    const scoring = engine ?? (await this.engine(scorer));
    const failure = await scoring.score(pairRequest(pair), { timeoutMs: 300_000, ...options }).then(
      (result) => assert.fail(`scored ${result.score} over ${result.frameCount} frames instead of failing`),
      (thrown: unknown) => thrown,
    );
    assert.ok(failure instanceof Failure, `not a Failure: ${String(failure)}`);
    const expected = typeof codes === "string" ? [codes] : codes;
    assert.ok(
      expected.includes(failure.code),
      `${failure.code} instead of ${expected.join(" or ")}: ${failure.message}`,
    );
    assert.match(failure.message, /^[^\n]{10,600}$/, "the message is one line of reasonable length");
    assert.deepEqual(await this.media.leftovers(), []);
    return failure;
  }

  async close(): Promise<void> {
    await this.media.remove();
  }
}

/** A request whose pair is not diagnosed unless it says so: test/matrices/findings shows that this changes no digit. */
function digitsOf(pair: Pair): PairRequest {
  return pairRequest({ findings: { action: "IGNORE" }, ...pair });
}

/** Returns the sorted codes of the warnings of a result or a pairing. */
export function warningCodes(result: Pick<ScoreResult, "warnings">): string[] {
  return result.warnings.map((warning) => warning.code).sort();
}
