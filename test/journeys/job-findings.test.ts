/** Findings of jobs through `svc up`: a mismatched pair is refused, scored with warnings, or repaired. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { decode, pickFrames } from "../media/truth.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Job, JobsClient } from "../server/jobs-client.ts";
import { type SidePlanes, StillsClient } from "../server/stills-client.ts";

/** Three seconds. */
const FILM = { ...SCENE, width: 160, height: 90, frames: 75 };
/** Frames of the reference that the late pair's distorted video lacks. */
const LOST = 3;
const LATE = {
  ...FILM,
  frames: FILM.frames + LOST,
  filters: `trim=start_frame=${LOST},setpts=PTS-STARTPTS`,
};
const LATE_FIX = { offset: -LOST };
const MIRRORED_FIX = { mirror: { distorted: "HORIZONTAL" } };

interface Found {
  readonly code: string;
  readonly fixed: boolean;
  readonly fix?: object;
}

type Pair = Readonly<Record<"reference" | "distorted", string>>;

let clips: Clips;
let late: Pair;
let mirrored: Pair;
before(async () => {
  clips = await makeClips();
  const { directory } = clips;
  const reference = await pristine(directory, "film.y4m", FILM);
  late = { reference, distorted: await encode(directory, "late.mp4", LATE, LOSSY.h264) };
  const filters = "hflip";
  mirrored = {
    reference,
    distorted: await encode(directory, "mirrored.mp4", { ...FILM, filters }, LOSSY.h264),
  };
});
after(() => clips[Symbol.asyncDispose]());

/** The findings of a job's result, and the codes of its warnings. */
function shownBy({ result }: Job) {
  const { findings, warnings } = result as unknown as {
    findings: readonly Found[];
    warnings: readonly { code: string }[];
  };
  return { findings: shown(findings), warnings: warnings.map(({ code }) => code) };
}

/** Without what the pictures leave open. */
function shown(findings: readonly Found[]): readonly Found[] {
  return findings.filter(({ code }) => code !== "NOT_CHECKED");
}

for (const [how, seconds, tasks] of [
  ["whole", 10, 1],
  ["in segments", 1, 3],
] as const) {
  describe(`a mismatched pair that is scored ${how}`, () => {
    let up: ControllerProcess;
    let jobs: JobsClient;
    before(async () => {
      const dataDir = clips.directory.file(`data-${seconds}`);
      up = await ControllerProcess.up({ dataDir, args: ["--segment-seconds", String(seconds)] });
      jobs = await JobsClient.of(up);
    });
    after(async () => up[Symbol.asyncDispose]());

    async function ended(spec: object, state: "SUCCEEDED" | "FAILED"): Promise<Job> {
      const { id } = (await jobs.submit(spec)).body;
      return jobs.until(id, state);
    }

    test("fails at once, with what was found and the remedy", async () => {
      for (const [pair, code, fix] of [
        [mirrored, "MIRRORED", MIRRORED_FIX],
        [late, "OFFSET", LATE_FIX],
      ] as const) {
        const { error, retries, segmentsTotal } = await ended(pair, "FAILED");
        assert.deepEqual([error?.code, retries, segmentsTotal], ["PAIR_MISMATCH", 0, tasks]);
        assert.match(error?.message ?? "", new RegExp(`\\(${code}\\) Set fix to true`));
        const { findings, remedy, ...found } = error?.found ?? {};
        assert.deepEqual(remedy, { option: "fix", value: true });
        assert.deepEqual(
          shown(findings as readonly Found[]).map((finding) => finding.code),
          [code],
        );
        // A later segment cannot tell an offset of the whole video from frames that were lost before it.
        if (tasks === 1 || pair === mirrored) assert.deepEqual(found, { fix });
      }
    });

    test("is scored as it is if the policy says so, with warnings and the findings", async () => {
      for (const [pair, code, fix] of [
        [mirrored, "MIRRORED", MIRRORED_FIX],
        [late, "OFFSET", LATE_FIX],
      ] as const) {
        const job = await ended({ ...pair, findings: { action: "WARN" } }, "SUCCEEDED");
        const { findings, warnings } = shownBy(job);
        assert.deepEqual(warnings, [code]);
        const [finding, ...others] = findings;
        assert.deepEqual([finding?.code, finding?.fixed, others], [code, false, []]);
        assert.deepEqual(finding?.fix, { runs: [], ...fix });
      }
      const ignored = await ended({ ...mirrored, findings: { codes: { MIRRORED: "IGNORE" } } }, "SUCCEEDED");
      assert.deepEqual(shownBy(ignored), { findings: [], warnings: [] });
    });

    test("is repaired on request, with the scores and stills of the frames that match", async () => {
      const repaired = await ended({ ...late, fix: true }, "SUCCEEDED");
      const { findings, warnings } = shownBy(repaired);
      assert.deepEqual(
        findings.map(({ code, fixed }) => [code, fixed]),
        [["OFFSET", true]],
      );
      assert.equal(repaired.segmentsTotal, tasks);
      const aligned = await ended({ ...late, ...LATE_FIX }, "SUCCEEDED");
      assert.equal(aligned.result?.frameCount, FILM.frames - LOST);
      assert.deepEqual(repaired.result?.pooled, aligned.result?.pooled);
      assert.deepEqual(warnings, shownBy(aligned).warnings);
      const stills = new StillsClient(up, jobs, await shownFrames());
      await stills.ask(repaired.id, [0, 40]);
      const made = await stills.settled(repaired.id);
      assert.ok(made.some(({ frame }) => frame === 0) && made.some(({ frame }) => frame === 40));
      await stills.exact(repaired.id, made);
    });
  });
}

/** The frames of the late pair that show the same, numbered as they are compared. */
async function shownFrames(): Promise<SidePlanes> {
  const { directory } = clips;
  const numbers = Array.from({ length: FILM.frames - LOST }, (_, frame) => frame);
  const reference = await decode(directory, late.reference, FILM);
  const distorted = await decode(directory, late.distorted, FILM);
  return {
    REFERENCE: await pickFrames(
      reference,
      numbers.map((frame) => frame + LOST),
    ),
    DISTORTED: await pickFrames(distorted, numbers),
  };
}
