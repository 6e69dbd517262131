import assert from "node:assert/strict";
import { test } from "node:test";
import { progressLine, progressText } from "../../src/cli/score/progress.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";

const TERMINAL: Terminal = { columns: 80, color: false, unicode: false, live: true };
const HALF = { framesDone: 125, framesTotal: 250, fps: 54.23, secondsLeft: 2.2 };

test("shows bar, percentage, frames, speed and time left; a narrow terminal drops the least useful first", () => {
  const text = (columns: number) => progressText(HALF, { ...TERMINAL, columns });
  assert.equal(text(80), "##############..............   50 %  125/250 frames  54.2 fps  0:03 left");
  for (let columns = 20; columns < 120; columns++) assert.ok(text(columns).length < columns);
  assert.match(text(40), /^#+\.+ +50 % {2}54\.2 fps {2}0:03 left$/);
  assert.match(text(20), /^#+\.+ +50 %$/);
});

test("shows no estimate before the first frame, and formats hours", () => {
  const start = { framesDone: 0, framesTotal: 250, fps: 0, secondsLeft: undefined };
  assert.match(progressText(start, TERMINAL), / 0 % {2}0\/250 frames {2}0\.0 fps$/);
  assert.match(progressText({ ...HALF, secondsLeft: 3725 }, TERMINAL), /1:02:05 left$/);
});

test("shows the estimate so far", () => {
  const estimating = { ...HALF, estimate: { mean: 93.12, halfWidth: 0.78, scoredShare: 0.041 } };
  assert.match(
    progressText(estimating, TERMINAL),
    / 50 % {2}estimate 93\.1 \+- 0\.8, 4\.1 % scored {2}0:03 left$/,
  );
  for (let columns = 20; columns < 120; columns++)
    assert.ok(progressText(estimating, { ...TERMINAL, columns }).length < columns);
});

test("redraws the line in place and erases it once; prints nothing without a terminal", () => {
  const drawn = (live: boolean) => {
    const written: string[] = [];
    const line = progressLine({ write: (text) => written.push(text) }, () => ({ ...TERMINAL, live }));
    line.note("Reading …");
    line.update(HALF);
    line.clear();
    line.clear();
    return written;
  };
  assert.deepEqual(drawn(true), ["\r\x1b[KReading …", `\r\x1b[K${progressText(HALF, TERMINAL)}`, "\r\x1b[K"]);
  assert.deepEqual(drawn(false), []);
});
