/** The stills of a job by their frames. */
import type { components } from "../../../src/gen/rest/controller.ts";

type Still = components["schemas"]["Still"];

/** A frame of which there are stills, or are to be. */
export interface StillFrame {
  readonly frame: number;
  readonly state: Still["state"];
  /** In pixels; undefined until there is one. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** Why there is none. */
  readonly error: Still["error"];
}

/** READY when both sides are, FAILED when one is; else PENDING. In the order of the frames. */
export function framesOf(stills: readonly Still[]): readonly StillFrame[] {
  const byFrame = Map.groupBy(stills, ({ frame }) => frame);
  return [...byFrame]
    .map(([frame, sides]) => frameOf(frame, sides))
    .sort((one, other) => one.frame - other.frame);
}

/** By their scores, the lowest first; those whose score is not known (yet) last. */
export function worstFirst(
  frames: readonly StillFrame[],
  scoreAt: (frame: number) => number | undefined,
): readonly StillFrame[] {
  return frames.toSorted((one, other) => {
    const [mine, others] = [scoreAt(one.frame), scoreAt(other.frame)];
    if (mine === undefined || others === undefined)
      return Number(mine === undefined) - Number(others === undefined) || one.frame - other.frame;
    return mine - others || one.frame - other.frame;
  });
}

function frameOf(frame: number, sides: readonly Still[]): StillFrame {
  const failed = sides.find(({ state }) => state === "FAILED");
  const isReady = sides.length === 2 && sides.every(({ state }) => state === "READY");
  const [first] = sides;
  return {
    frame,
    state: failed ? "FAILED" : isReady ? "READY" : "PENDING",
    size: isReady && first ? { width: first.width, height: first.height } : undefined,
    error: failed?.error,
  };
}
