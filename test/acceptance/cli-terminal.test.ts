/** svc score on a terminal: the progress line, colour, Ctrl-C. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Running, SVC, startOnTerminal, startScore } from "../cli/program.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { until } from "../waiting.ts";

const ERASE_LINE = "\r\x1b[K";
const PROGRESS = /[█░]+\S*\s+\d+ % +\d+\/2000 frames +\d+\.\d fps +[\d:]+ left/;
let clips: Clips;
let long: string[];
before(async () => {
  clips = await makeClips();
  const { reference, distorted, rawVideo } = clips.longPair;
  long = [reference, distorted, "--size", `${rawVideo.width}x${rawVideo.height}`];
});
after(async () => {
  assert.deepEqual(await clips.directory.leftovers(), []);
  await clips[Symbol.asyncDispose]();
});

const scorePair = () => [SVC, "score", clips.pair.reference, clips.pair.distorted];

/** Waits until a scorer works on the clips, so that there is something to clean up. */
function scorerRuns(): Promise<void> {
  return until(
    async () => (await clips.directory.processes()).some((line) => line.includes("ffmpeg")),
    "a scorer",
  );
}

async function assertStopped(running: Running, ...codes: readonly number[]): Promise<void> {
  const ended = await running.ended();
  assert.ok(
    codes.some((code) => code === ended.code),
    `exit code ${ended.code}`,
  );
  assert.match(ended.stdout + ended.stderr, /Stopped\.\r?\n$/);
  assert.deepEqual(await clips.directory.leftovers(), []);
}

describe("progress", () => {
  test("is a bar with frames, fps and time left; Ctrl-C ends the score and leaves nothing behind", async () => {
    await using running = startOnTerminal([SVC, "score", ...long], 100);
    await running.printed(PROGRESS);
    running.child.stdin?.write("\x03");
    await assertStopped(running, 130);
    const redrawn = running.stdout.split(ERASE_LINE);
    assert.ok(redrawn.length > 2, "the line is redrawn in place");
    assert.match(redrawn.at(-1) ?? "", /^Stopped\./, "and erased at the end");
  });

  test("fits a narrow terminal, and the report does too", async () => {
    await using running = startOnTerminal(scorePair(), 40, { NO_COLOR: "1" });
    const { code, stdout } = await running.ended();
    assert.equal(code, 0);
    assert.ok(stdout.includes(ERASE_LINE));
    assert.ok(!stdout.includes("\x1b[1m"), "NO_COLOR is respected");
    for (const line of stdout.replaceAll(ERASE_LINE, "\n").split(/\r?\n/)) assert.ok(line.length <= 40, line);
  });

  test("is left out on a dumb terminal, which gets no escape sequences", async () => {
    await using running = startOnTerminal(scorePair(), 80, { TERM: "dumb" });
    const { code, stdout } = await running.ended();
    assert.equal(code, 0);
    assert.match(stdout, /VMAF \d/);
    assert.ok(!stdout.includes("\x1b"));
  });

  test("colours the report", async () => {
    await using running = startOnTerminal(scorePair(), 80);
    assert.match((await running.ended()).stdout, /\[1mVMAF \d+\.\d{6}/);
  });
});

describe("interruption without a terminal", () => {
  test("SIGINT, also with a wrapper's second signal, and SIGTERM stop the scorer and leave nothing", async () => {
    for (const [signals, codes] of [
      // Two signals at once: either may arrive first.
      [
        ["SIGINT", "SIGTERM"],
        [130, 143],
      ],
      [["SIGTERM"], [143]],
    ] as const) {
      await using running = startScore(long);
      await scorerRuns();
      for (const signal of signals) running.child.kill(signal);
      await assertStopped(running, ...codes);
    }
  });
});
