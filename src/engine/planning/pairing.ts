/** How the frames of two tracks are paired, and how many are left on each side. */
import { perSide, type Side } from "../contract/request.ts";
import type { ScalingInfo, Warning } from "../contract/result.ts";
import type { Track } from "../media/track.ts";

/** The side on which only every n-th frame has a partner. */
export interface Thinning {
  readonly side: Side;
  readonly every: number;
}

export interface Pairing {
  /** Size and planar format that both are scored in. */
  readonly width: number;
  readonly height: number;
  readonly format: string;
  readonly scaling: ScalingInfo | undefined;
  /** Sides whose picture is rotated for display before it is compared. */
  readonly turn: readonly Side[];
  /** The side on which only every n-th frame has a partner, if the rates differ. */
  readonly thin: Thinning | undefined;
  /** Number of frames left on each side after thinning, according to the containers. */
  readonly counts: Readonly<Record<Side, number>>;
  /** Number of frames that are scored. */
  readonly frameCount: number;
  readonly warnings: readonly Warning[];
}

/** Frames left on each side after thinning. */
export function countsOf(
  tracks: Readonly<Record<Side, Track>>,
  thin: Thinning | undefined,
): Pairing["counts"] {
  return perSide((side) =>
    thin?.side === side ? Math.ceil(tracks[side].frames / thin.every) : tracks[side].frames,
  );
}
