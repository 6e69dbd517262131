/** What a node does with a piece of work, in words. */
import type { components } from "../../../src/gen/rest/controller.ts";

type Work = components["schemas"]["JobWork"];

/** `framesDone`: frames of the piece that the node has scored so far. */
export function pieceText(piece: Work, framesDone: number): string {
  return `${doingText(piece, framesDone)}${piece.attempt > 1 ? ` (attempt ${piece.attempt})` : ""}`;
}

function doingText({ kind, firstFrame, frameCount }: Work, framesDone: number): string {
  const done = frameCount > 0 ? `: ${framesDone} of ${frameCount} done` : "";
  switch (kind) {
    case "PLAN":
      return "reading both files";
    case "SEGMENT":
      return `scoring frames ${firstFrame} to ${firstFrame + Math.max(1, frameCount) - 1}${done}`;
    case "WHOLE":
      return `scoring all frames in one piece${done}`;
    case "STILLS":
      // They are not in a row, so there is no first and last of them.
      return `making stills of ${frameCount} ${frameCount === 1 ? "frame" : "frames"}`;
    default:
      return "a piece of work of a kind that this console does not know";
  }
}
