/** A broken decoder is not blamed on the media, and a hanging one is not awaited after the other side has failed. */
import assert from "node:assert/strict";
import { access, chmod, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { FFMPEG } from "../media/ffmpeg.ts";
import { withTimeout } from "../waiting.ts";
import { Fixture } from "./fixture.ts";

const SCENE = { width: 64, height: 64, frames: 4 };

let fixture: Fixture;
let pair: { reference: string; distorted: string };
let longer: string;
before(async () => {
  fixture = await Fixture.open();
  pair = {
    reference: await pristine(fixture.media, "reference.y4m", SCENE),
    distorted: await encode(fixture.media, "distorted.mp4", SCENE, LOSSY.h264),
  };
  longer = await encode(fixture.media, "longer.mp4", { ...SCENE, frames: 6 }, LOSSY.h264);
});
after(() => fixture.close());

/** Returns an engine with the bundled ffmpeg, which runs `instead` if its arguments match a shell pattern. */
async function engineThat(name: string, pattern: string, instead: string): Promise<Engine> {
  const scorerPath = fixture.media.file(name);
  await writeFile(
    scorerPath,
    `#!/bin/sh\ncase "$*" in ${pattern}) ${instead} ;; esac\nexec '${FFMPEG}' "$@"\n`,
  );
  await chmod(scorerPath, 0o755);
  return fixture.engine({ scorerPath });
}

/** Shell patterns that identify the runs on media by their arguments. */
const RUNS = {
  probing: "*framecrc*",
  counting: "*'-map 0:V:0 -fps_mode passthrough'*",
  scoring: "*log.csv*",
};

describe("blames the decoder if it breaks", () => {
  for (const [run, pattern] of Object.entries(RUNS)) {
    for (const [how, instead, reason] of [
      ["is killed", "kill -KILL $$", /SIGKILL/],
      ["cannot be run", "exit 127", /could not be run/],
      ["may not be run", "exit 126", /could not be run/],
    ] as const) {
      test(`${run}: ${how}`, async () => {
        const engine = await engineThat(`${run}-${how.replaceAll(" ", "-")}`, pattern, instead);
        const distorted = run === "counting" ? longer : pair.distorted;
        const failure = await fixture.expectFailure({ ...pair, distorted }, "SCORER_FAILED", { engine });
        assert.match(failure.message, reason);
      });
    }
  }
});

describe("blames the program if it reports nothing about the media", () => {
  for (const run of Object.keys(RUNS) as (keyof typeof RUNS)[]) {
    for (const code of [0, 1]) {
      test(`${run}: exits with ${code} without output`, async () => {
        const engine = await engineThat(`${run}-exit-${code}`, RUNS[run], `exit ${code}`);
        const distorted = run === "counting" ? longer : pair.distorted;
        await fixture.expectFailure({ ...pair, distorted }, "SCORER_FAILED", { engine });
      });
    }
  }

  for (const [log, command] of Object.entries({
    empty: ": > pass0-log.csv",
    garbage: "echo garbage > pass0-log.csv",
    truncated: "printf 'Frame,vmaf\\n0,9' > pass0-log.csv",
    "over its limit": "head -c 100000000 /dev/zero > pass0-log.csv",
  })) {
    test(`scoring: its log is ${log}`, async () => {
      const engine = await engineThat(`log-${log.replaceAll(" ", "-")}`, RUNS.scoring, `${command}; exit 0`);
      await fixture.expectFailure(pair, "SCORER_FAILED", { engine });
    });

    test(`scoring: its log is ${log}, although every frame was read`, async () => {
      const scoreThen = `'${FFMPEG}' "$@"; ${command}; exit 0`;
      const engine = await engineThat(`read-${log.replaceAll(" ", "-")}`, RUNS.scoring, scoreThen);
      await fixture.expectFailure(pair, "SCORER_FAILED", { engine });
    });
  }
});

describe("a scorer that crashes", () => {
  test("once is retried, and gives exactly the same scores", async () => {
    const mark = fixture.media.file("crashed");
    const once = `[ -e '${mark}' ] || { : > '${mark}'; kill -SEGV $$; }`;
    const [crashed, sound] = [await engineThat("crashes-once", RUNS.scoring, once), await fixture.engine()];
    const request = pairRequest(pair);
    const [again, expected] = [await crashed.score(request), await sound.score(request)];
    await access(mark);
    assert.deepEqual([...again.frames.rows()], [...expected.frames.rows()]);
  });

  test("every time fails with SCORER_FAILED", async () => {
    const engine = await engineThat("crashes-always", RUNS.scoring, "kill -ABRT $$");
    const failure = await fixture.expectFailure(pair, "SCORER_FAILED", { engine });
    assert.match(failure.message, /SIGABRT/);
  });
});

describe("aborts probing of one side when the other fails", () => {
  /** The hanging side would time out only after days, so waiting for it would fail the test. */
  const options = { timeoutMs: 2 ** 31 };

  for (const side of ["reference", "distorted"] as const) {
    for (const [name, content, code] of [
      ["odd_64x64.yuv", "too short", "RAW_GEOMETRY_MISMATCH"],
      ["text.mp4", "not a video\n".repeat(300), "MEDIA_UNSUPPORTED"],
      ["header.y4m", "YUV4MPEG2 W64 H64 F25:1 C420jpeg\n", "MEDIA_NO_FRAMES"],
    ] as const) {
      test(`${name} as the ${side}`, async () => {
        const other = side === "reference" ? "distorted" : "reference";
        const engine = await engineThat(`hangs-${other}`, `*file:${other}.*framecrc*`, "exec sleep 100000");
        const broken = fixture.media.file(name);
        await writeFile(broken, content);
        const asked = { reference: pair.distorted, distorted: pair.distorted, [side]: broken };
        const failing = fixture.expectFailure(asked, code, { engine, options });
        const failure = await withTimeout(failing, "the failure despite a hanging decoder");
        assert.match(
          failure.message,
          new RegExp(side),
          "the message names the side that failed, not the aborted one",
        );
      });
    }
  }
});
