/** Describes the task that a node is running. */
import type { components } from "../../../src/gen/rest/controller.ts";

type Work = components["schemas"]["JobWork"];

/** `framesDone`: frames of the task scored so far. */
export function taskText(task: Work, framesDone: number): string {
  return `${doingText(task, framesDone)}${task.attempt > 1 ? ` (attempt ${task.attempt})` : ""}`;
}

function doingText({ kind, firstFrame, frameCount, clipFrame }: Work, framesDone: number): string {
  const done = frameCount > 0 ? `: ${framesDone} of ${frameCount} done` : "";
  switch (kind) {
    case "PLAN":
      return "inspecting files";
    case "SEGMENT":
      return `scoring frames ${firstFrame} to ${firstFrame + Math.max(1, frameCount) - 1}${done}`;
    case "WHOLE":
      return `scoring the whole video${done}`;
    case "STILLS":
      if (clipFrame !== undefined) return `making the video of frame ${clipFrame}`;
      // The frames are not contiguous, so no range is shown.
      return `making stills of ${frameCount} ${frameCount === 1 ? "frame" : "frames"}`;
    default:
      return "task of an unknown kind";
  }
}
