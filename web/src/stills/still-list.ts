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

/** A frame to look at. */
export interface Moment {
  readonly frame: number;
  /** undefined: nobody has asked for one. */
  readonly still: StillFrame | undefined;
}

/** The worst moments whether there are stills of them or not, and every other frame of which there are. */
export function momentsOf(stills: readonly StillFrame[], worst: readonly number[]): readonly Moment[] {
  const byFrame = new Map(stills.map((still) => [still.frame, still]));
  const frames = new Set([...byFrame.keys(), ...worst]);
  return [...frames].map((frame) => ({ frame, still: byFrame.get(frame) }));
}

/** By their scores, the lowest first; those whose score is not known (yet) last. */
export function worstFirst(
  moments: readonly Moment[],
  scoreAt: (frame: number) => number | undefined,
): readonly Moment[] {
  return moments.toSorted((one, other) => {
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
