/** A score can be cancelled or killed at any time, and leaves nothing behind. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { Progress } from "../../src/engine/contract/result.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { errorCode } from "../../src/platform/errors.ts";
import { Failure } from "../../src/platform/failure.ts";
import { assertSameDigits } from "../engine/digits.ts";
import { Fixture, SCORERS } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { FFMPEG, ffmpeg } from "../media/ffmpeg.ts";
import { truthOfPair } from "../media/truth.ts";
import { withTimeout } from "../waiting.ts";

const LONG = { width: 1280, height: 720, frames: 160 };
/** Repetitions of the clip: long enough that a score is always stopped in the middle. */
const TIMES = 40;
const CHILD = fileURLToPath(new URL("../engine/scoring-process.ts", import.meta.url));

for (const scorer of SCORERS) {
  describe(`lifecycle of a score, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let long: { reference: string; distorted: string };

    before(async () => {
      fixture = await Fixture.open();
      const quick = ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "30"];
      const chunk = await encode(fixture.media, "piece.mp4", LONG, quick);
      const reference = fixture.media.file("long.mp4");
      await ffmpeg(["-stream_loop", String(TIMES - 1), "-i", chunk, "-c", "copy", reference]);
      long = { reference, distorted: fixture.media.file("long-copy.mp4") };
      await copyFile(reference, long.distorted);
    });
    after(() => fixture.close());

    /** Starts the long score; `begun` resolves when the first frames have passed. */
    async function start(signal: AbortSignal): Promise<{ begun: Promise<void>; ended: Promise<unknown> }> {
      const engine = await fixture.engine(scorer);
      const { promise: begun, resolve } = Promise.withResolvers<void>();
      const onProgress = ({ framesDone }: Progress): void => void (framesDone > 0 && resolve());
      const ended = engine.score(pairRequest(long), { signal, onProgress }).then(
        (result) => assert.fail(`the score completed with ${result.frameCount} frames`),
        (thrown: unknown) => thrown,
      );
      return { begun, ended };
    }

    /** Returns the process ids of the running scorers and decoders. */
    async function programs(): Promise<number[]> {
      const lines = (await fixture.media.processes()).filter((line) => /\/(ffmpeg|vmaf) /.test(line));
      return lines.map((line) => Number.parseInt(line, 10));
    }

    /** Returns an engine whose scorer never exits. */
    async function hangingEngine(): Promise<Engine> {
      const scorerPath = fixture.media.file("hanging-scorer");
      const script = `#!/bin/sh\ncase "$*" in *log.csv*) exec sleep 100000 ;; esac\nexec '${scorer.scorerPath ?? FFMPEG}' "$@"\n`;
      await writeFile(scorerPath, script, { mode: 0o755 });
      return fixture.engine({ scorerPath });
    }

    test("kills its processes without waiting for them when cancelled in the middle", async () => {
      const controller = new AbortController();
      const { begun, ended } = await start(controller.signal);
      await begun;
      const running = await programs();
      assert.notDeepEqual(running, [], "the running scorer is visible");
      // Stopped processes never exit, so waiting for them would take forever.
      for (const pid of running) signalIfThere(pid, "SIGSTOP");
      controller.abort();
      const failure = await withTimeout(ended, "the end of a cancelled score");
      assert.deepEqual(await fixture.media.leftovers(), []);
      assert.ok(failure instanceof Failure && failure.code === "SCORE_CANCELLED", String(failure));
    });

    test("can be cancelled before it starts, right after, and while it probes", async () => {
      const before = new AbortController();
      before.abort();
      const { ended } = await start(before.signal);
      assert.equal(((await ended) as Failure).code, "SCORE_CANCELLED");
      for (const delay of [0, 1, 5, 20, 60, 120]) {
        const { ended } = await start(AbortSignal.timeout(delay));
        assert.equal(((await ended) as Failure).code, "SCORE_CANCELLED", `after ${delay} ms`);
        assert.deepEqual(await fixture.media.leftovers(), []);
      }
    });

    for (const timeoutMs of [1, 50, 900]) {
      test(`times out after ${timeoutMs} ms`, async () => {
        const engine = await hangingEngine();
        const failing = fixture.expectFailure(long, "SCORE_TIMEOUT", { engine, options: { timeoutMs } });
        const failure = await withTimeout(failing, "the end of a score at its time limit");
        assert.match(failure.message, /\d/, "the message names the limit");
      });
    }

    test("ends its scorer and removes its directory when its process is killed", async () => {
      const child = spawn(
        process.execPath,
        [CHILD, long.reference, long.distorted, scorer.scorerPath ?? ""],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      const [said] = (await once(child.stdout, "data")) as [Buffer];
      assert.equal(said.toString().trim(), "scoring");
      const running = await fixture.media.processes();
      assert.ok(running.length >= 2, `the running scorer is visible: ${running.join("; ")}`);
      child.kill("SIGKILL");
      await once(child, "exit");
      assert.deepEqual(await fixture.media.leftovers(), []);
    });

    test("fails with SCORER_FAILED if the scorer is killed from outside", async () => {
      const { begun, ended } = await start(new AbortController().signal);
      await begun;
      const scorers = await programs();
      assert.notDeepEqual(scorers, []);
      for (const pid of scorers) signalIfThere(pid, "SIGKILL");
      const failure = await ended;
      assert.ok(failure instanceof Failure && failure.code === "SCORER_FAILED", String(failure));
      assert.deepEqual(await fixture.media.leftovers(), []);
    });

    test("gives exactly the same scores with many concurrent runs as alone", async () => {
      const reference = await pristine(fixture.media);
      const distorted = await encode(fixture.media, "plain.mp4", {}, LOSSY.h264);
      const truth = await truthOfPair(fixture.media, { reference, distorted }, SCENE, {
        oracle: scorer.oracle,
      });
      const engine = await fixture.engine(scorer);
      const results = await Promise.all(
        Array.from({ length: 12 }, () =>
          engine.score(pairRequest({ reference, distorted }), { timeoutMs: 300_000 }),
        ),
      );
      for (const result of results) assertSameDigits(result, truth);
      assert.deepEqual(await fixture.media.leftovers(), []);
    });

    test("leaves no file open after success, failure and cancellation", async () => {
      const reference = await pristine(fixture.media, "open.y4m");
      const engine = await fixture.engine(scorer);
      const score = (distorted: string, signal?: AbortSignal): Promise<unknown> =>
        engine.score(pairRequest({ reference, distorted }), { signal }).catch((thrown: unknown) => thrown);
      await score(reference);
      await score(fixture.media.file("missing.mp4"));
      await score(CHILD);
      await score(long.distorted, AbortSignal.timeout(60));
      assert.deepEqual(await fixture.media.leftovers(), []);
      assert.deepEqual(await fixture.media.openFiles(), []);
    });

    test("reports progress up to the last frame, with a speed", async () => {
      const reference = await pristine(fixture.media, "progress.y4m", { ...LONG, frames: 40 });
      const seen: Progress[] = [];
      const engine = await fixture.engine(scorer);
      await engine.score(pairRequest({ reference, distorted: reference }), {
        onProgress: (step) => seen.push(step),
      });
      assert.ok(seen.length > 0);
      assert.deepEqual(
        seen.map(({ framesDone }) => framesDone),
        seen.map(({ framesDone }) => framesDone).toSorted((a, b) => a - b),
      );
      assert.ok(seen.every(({ framesTotal, framesDone }) => framesTotal === 40 && framesDone <= 40));
      assert.equal(seen.at(-1)?.framesDone, 40);
      assert.ok((seen.at(-1)?.fps ?? 0) > 0);
    });

    test("fails if a file is modified while it is scored", async () => {
      const reference = await pristine(fixture.media, "growing.y4m", { ...LONG, frames: 60 });
      const engine = await fixture.engine(scorer);
      let isGrown = false;
      // Writes synchronously within the progress callback, so that the score cannot end first.
      const onProgress = ({ framesDone }: Progress): void => {
        if (framesDone === 0 || isGrown) return;
        isGrown = true;
        appendFileSync(reference, Buffer.alloc(1 << 20));
      };
      const failure = await engine
        .score(pairRequest({ reference, distorted: reference }), { onProgress })
        .then(
          () => assert.fail("a changed file was scored"),
          (thrown: unknown) => thrown as Failure,
        );
      assert.ok(["MEDIA_CHANGED", "MEDIA_CORRUPT", "MEDIA_TRUNCATED"].includes(failure.code), failure.code);
      assert.deepEqual(await fixture.media.leftovers(), []);
    });
  });
}

/** Signals a process if it still exists; a program exits when its partner is killed. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
