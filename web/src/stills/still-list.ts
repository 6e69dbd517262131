/** The stills of a job, grouped by frame. */
import type { components } from "../../../src/gen/rest/controller.ts";

type Still = components["schemas"]["Still"];

/** A frame that has stills, or will have. */
export interface StillFrame {
  readonly frame: number;
  readonly state: Still["state"];
  /** In pixels; undefined until the stills are ready. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** Why the stills could not be made. */
  readonly error: Still["error"];
}

/** READY if both sides are, FAILED if one is, else PENDING. Sorted by frame. */
export function framesOf(stills: readonly Still[]): readonly StillFrame[] {
  const byFrame = Map.groupBy(stills, ({ frame }) => frame);
  return [...byFrame]
    .map(([frame, sides]) => frameOf(frame, sides))
    .sort((one, other) => one.frame - other.frame);
}

/** A frame in the list of moments. */
export interface Moment {
  readonly frame: number;
  /** undefined if none was requested. */
  readonly still: StillFrame | undefined;
}

export interface Moments {
  /** The worst moments, worst first, with or without stills. */
  readonly worst: readonly Moment[];
  /** All other frames with stills: users selected them. Sorted by frame. */
  readonly pinned: readonly Moment[];
}

/** `worst`: frames of the worst moments, worst first; undefined until known, and so are the pinned frames. */
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
