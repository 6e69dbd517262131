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

export interface Moments {
  /** The worst ones, worst first, whether there are stills of them or not. */
  readonly worst: readonly Moment[];
  /** Every other frame that there are stills of: somebody picked it. In the order of the frames. */
  readonly pinned: readonly Moment[];
}

/** `worst`: frames of the worst moments, worst first; undefined: not known yet, and neither is what was picked. */
export function momentsOf(stills: readonly StillFrame[], worst: readonly number[] | undefined): Moments {
  if (worst === undefined) return { worst: [], pinned: [] };
  const byFrame = new Map(stills.map((still) => [still.frame, still]));
  return {
    worst: worst.map((frame) => ({ frame, still: byFrame.get(frame) })),
    pinned: stills
      .filter(({ frame }) => !worst.includes(frame))
      .map((still) => ({ frame: still.frame, still })),
  };
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
