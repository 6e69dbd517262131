/** Text for the task that a node is running. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "../../../web/src/jobs/job-facts.ts";
import { taskText } from "../../../web/src/nodes/task-text.ts";

type Work = NonNullable<Job["work"]>[number];

function piece(parts: Partial<Work>): Work {
  return { kind: "SEGMENT", state: "LEASED", firstFrame: 0, frameCount: 0, attempt: 1, node: "n", ...parts };
}

test("a segment shows its frames and how many are done", () => {
  const segment = piece({ firstFrame: 240, frameCount: 120 });
  assert.equal(taskText(segment, 45), "scoring frames 240 to 359: 45 of 120 done");
  assert.equal(
    taskText({ ...segment, attempt: 2 }, 0),
    "scoring frames 240 to 359: 0 of 120 done (attempt 2)",
  );
});

test("stills show the number of frames instead of a range", () => {
  assert.equal(
    taskText(piece({ kind: "STILLS", firstFrame: 5, frameCount: 5 }), 0),
    "making stills of 5 frames",
  );
  assert.equal(
    taskText(piece({ kind: "STILLS", firstFrame: 5, frameCount: 1 }), 0),
    "making stills of 1 frame",
  );
});

test("a clip shows the frame that it is of", () => {
  const clip = piece({ kind: "STILLS", firstFrame: 5, frameCount: 50, clipFrame: 30 });
  assert.equal(taskText(clip, 0), "making the video of frame 30");
});

test("tasks without a range show none", () => {
  assert.equal(taskText(piece({ kind: "PLAN" }), 0), "inspecting files");
  assert.equal(taskText(piece({ kind: "WHOLE" }), 0), "scoring the whole video");
  assert.equal(
    taskText(piece({ kind: "WHOLE", frameCount: 90 }), 9),
    "scoring the whole video: 9 of 90 done",
  );
});
