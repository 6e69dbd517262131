import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Board } from "../../src/cli/jobs/board.ts";
import { LiveBlock } from "../../src/cli/terminal/live.ts";
import { Job_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { HOSTILE, ID, job, running, succeeded } from "./jobs.ts";
import { Screen } from "./screen.ts";

/** Creates a board on a screen that shows both lines and bars, like a terminal with both streams. */
function boardOn(screen: Screen, live = true): Board {
  const terminal = () => ({ columns: screen.columns, color: false, unicode: true, live });
  return new Board({ lines: screen, live: screen, terminal });
}

describe("on a terminal", () => {
  test("redraws bars in place; lines of ended jobs scroll above them", () => {
    const screen = new Screen(80, 24);
    using board = boardOn(screen);
    board.update(running(50, { id: "a", spec: { name: "first" } }));
    board.update(running(10, { id: "b", spec: { name: "second" } }));
    board.update(job({ id: "c" }));
    board.draw();
    assert.match(screen.text(), /^first .* 25 %.*\nsecond .* 5 %.*\nand 1 queued$/);
    board.update(succeeded({ id: "a", spec: { name: "first" } }));
    board.update(running(100, { id: "b", spec: { name: "second" } }));
    board.draw();
    assert.match(
      screen.text(),
      /^SUCCEEDED {2}a {2}first {2}VMAF 93\.500000\nsecond .* 50 %.*\nand 1 queued$/,
    );
    board[Symbol.dispose]();
    assert.equal(screen.text(), "SUCCEEDED  a  first  VMAF 93.500000");
  });

  test("shows what is fetched before the first frame", () => {
    const screen = new Screen(80, 24);
    using board = boardOn(screen);
    const fetch = { bytesDone: 1.2e9, bytesTotal: 3.4e9 };
    board.update(running(0, { id: "a", spec: { name: "first" }, fetch }));
    board.update(job({ id: "b", spec: { name: "second" }, state: Job_State.RUNNING }));
    board.draw();
    assert.match(screen.text(), /^first +Fetching videos: 1\.2 of 3\.4 GB\nsecond +reading the two files$/);
  });

  test("prints an ended job once, although its stills change it later", () => {
    const screen = new Screen(80, 24);
    using board = boardOn(screen);
    const done = { id: "a", state: Job_State.SUCCEEDED, score: 93.5 };
    board.update(running(50, done));
    board.update(running(50, { ...done, revision: 9 }));
    assert.equal(screen.text().split("\n").length, 1);
  });

  test("never draws more lines than the screen has", () => {
    const screen = new Screen(60, 8);
    using board = boardOn(screen);
    for (let n = 0; n < 30; n++) board.update(running(n, { id: `job-${n}` }));
    for (let redraw = 0; redraw < 3; redraw++) board.draw();
    assert.equal(screen.scrolled, 0);
    assert.equal(screen.text().split("\n").at(-1), "and 24 more running");
  });

  test("assumes the default size for a terminal that reports no size", () => {
    const screen = new Screen(80, 24);
    const live = { write: (text: string) => screen.write(text), columns: 0, rows: 0 };
    const terminal = () => ({ columns: 80, color: false, unicode: true, live: true });
    using board = new Board({ lines: screen, live, terminal });
    board.update(running(50, { id: "a", spec: { name: "first" } }));
    board.update(job({ id: "b" }));
    for (let redraw = 0; redraw < 3; redraw++) board.draw();
    assert.match(screen.text(), /^first .* 25 %.*\nand 1 queued$/);
    assert.equal(screen.scrolled, 0);
  });

  test("leaves no remains of wrapped lines after the terminal is made narrower", () => {
    const screen = new Screen(100, 24);
    using board = boardOn(screen);
    for (const id of ["a", "b", "c"]) board.update(running(50, { id, spec: { name: id } }));
    board.draw();
    for (const columns of [45, 30, 90]) {
      screen.resize(columns);
      board.draw();
      assert.match(screen.text(), /^a .*25 %.*\nb .*25 %.*\nc .*25 %.*$/);
    }
  });

  test("shows a lost connection below the bars until it is back", () => {
    const screen = new Screen(80, 24);
    using board = boardOn(screen);
    board.update(running(50));
    board.outage(new Failure("SERVER_UNREACHABLE", "127.0.0.1:9090 cannot be reached."));
    board.draw();
    assert.match(screen.text(), /\n127\.0\.0\.1:9090 cannot be reached\. Reconnecting …$/);
    board.outage(undefined);
    board.draw();
    assert.doesNotMatch(screen.text(), /Reconnecting/);
  });

  test("removes jobs that were deleted or ended during an outage", () => {
    const screen = new Screen(80, 24);
    using board = boardOn(screen);
    for (const id of ["a", "b", "c"]) board.update(running(50, { id, spec: { name: id } }));
    board.remove("a");
    board.retain(new Set(["c"]));
    board.draw();
    assert.match(screen.text(), /^c .*25 %[^\n]*$/);
  });
});

test("without a terminal, prints lines for state changes and every 10 % of progress", () => {
  const written: string[] = [];
  const output = { write: (text: string) => written.push(text) };
  const terminal = () => ({ columns: 80, color: false, unicode: true, live: false });
  using board = new Board({ lines: output, live: output, terminal });
  board.update(job());
  for (let frames = 0; frames <= 200; frames++) board.update(running(frames));
  board.update(succeeded());
  const lines = written.join("").trimEnd().split("\n");
  assert.equal(lines[0], `QUEUED     ${ID}  encode.mp4`);
  assert.equal(lines.filter((line) => line.startsWith("RUNNING")).length, 11);
  assert.match(lines[3] ?? "", /20 %$/);
  assert.match(lines.at(-1) ?? "", /^SUCCEEDED .* VMAF 93\.500000$/);
  assert.ok(!written.join("").includes("\x1b"));
});

test("hostile names and messages don't move the cursor", () => {
  for (const live of [true, false]) {
    const screen = new Screen(80, 24);
    using board = boardOn(screen, live);
    board.update(running(50, { id: "a", spec: { name: HOSTILE } }));
    board.draw();
    const error = { code: HOSTILE, message: HOSTILE };
    board.update(job({ id: "b", state: Job_State.FAILED, spec: { name: HOSTILE }, error }));
    board.outage(new Failure("SERVER_UNREACHABLE", HOSTILE));
    board.draw();
    assert.doesNotMatch(screen.text().replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
    assert.doesNotMatch(screen.text(), /^SUCCEEDED/m);
  }
});

test("erases a block only once", () => {
  const screen = new Screen(40, 10);
  screen.write("above\n");
  const block = new LiveBlock(screen);
  block.clear();
  block.draw(["one", "two"]);
  block.clear();
  block.clear();
  assert.equal(screen.text(), "above");
});
