/** Faults anywhere in videos that are longer than what is looked at of their beginnings. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Run } from "../../src/engine/contract/alignment.ts";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { Fixture } from "../engine/fixture.ts";
import { LOSSY } from "../media/clips.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { film } from "../media/film.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";

const FRAMES = 4200;

interface Fault {
  readonly what: string;
  /** Filters of the clean encode that choose its frames. */
  readonly filters: string;
  /** The certain findings. */
  readonly codes: readonly string[];
  /** The frames that show the same. */
  readonly runs: readonly Run[];
}

const FAULTS: readonly Fault[] = [
  {
    what: "two places where frames were lost",
    filters: "select=not(between(n\\,1900\\,1902)+between(n\\,3300\\,3304))",
    codes: ["FRAMES_DROPPED", "FRAMES_DROPPED"],
    runs: [
      { reference: 0, distorted: 0, count: 1900 },
      { reference: 1903, distorted: 1900, count: 1397 },
      { reference: 3305, distorted: 3297, count: 895 },
    ],
  },
  {
    what: "a scene that was cut out",
    filters: "select=not(between(n\\,2700\\,2899))",
    codes: ["FRAMES_DROPPED"],
    runs: [
      { reference: 0, distorted: 0, count: 2700 },
      { reference: 2900, distorted: 2700, count: 1300 },
    ],
  },
  {
    what: "an offset of the whole",
    filters: "select=gte(n\\,9)",
    codes: ["OFFSET", "TRIMMED"],
    runs: [{ reference: 9, distorted: 0, count: 4191 }],
  },
  {
    what: "a missing end",
    filters: "select=lt(n\\,3900)",
    codes: ["TRIMMED"],
    runs: [{ reference: 0, distorted: 0, count: 3900 }],
  },
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

  async function diagnose(filters: string) {
    const distorted = fixture.media.file("faulty.mkv");
    await ffmpeg(["-y", "-i", clean, "-vf", `${filters},setpts=N/25/TB`, ...LOSSY.ffv1, distorted]);
    const engine = await fixture.engine();
    return engine.diagnose(pairRequest({ reference, distorted }), { timeoutMs: WAIT_LIMIT_MS });
  }

  for (const { what, filters, codes, runs } of FAULTS)
    test(`finds ${what}`, async () => {
      const { findings, fix, ...diagnosis } = await diagnose(filters);
      const certain = findings.filter(({ confidence }) => confidence === "certain");
      const shown = JSON.stringify(findings);
      assert.deepEqual(
        certain.map(({ code }) => code),
        codes,
        shown,
      );
      assert.equal(findings.length, certain.length + 1, shown);
      assert.deepEqual(diagnosis.runs, runs);
      const [first] = runs;
      const offset = (first?.distorted ?? 0) - (first?.reference ?? 0);
      assert.deepEqual(fix, runs.length > 1 ? { runs } : { offset });
    });

  test("proposes no fix for a cut that it cannot locate exactly: a missing scene of 24 s", async () => {
    const { findings, fix } = await diagnose("select=not(between(n\\,2400\\,2999))");
    const [first] = findings;
    assert.deepEqual([first?.code, first?.confidence, first?.size], ["FRAMES_DROPPED", "likely", 600]);
    const [, earliest, latest] = /between frames (\d+) and (\d+)\./.exec(first?.evidence ?? "") ?? [];
    assert.ok(Number(earliest) <= 2400 && 2400 <= Number(latest), first?.evidence);
    assert.equal(fix, undefined);
  });
});
