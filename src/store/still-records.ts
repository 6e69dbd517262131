/** Stills, as the store gives and takes them. */
import type { StoredError } from "./job-records.ts";

/** Frames to be shown, of one scored segment. */
export interface StillsPart {
  /** Absent: scored in one piece. */
  readonly segment?: string;
  readonly frames: readonly number[];
}

export const SIDES = ["REFERENCE", "DISTORTED"] as const;
export type StillSide = (typeof SIDES)[number];

/** A frame of one side as a picture. */
export interface StillImage {
  readonly frame: number;
  readonly side: StillSide;
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
  readonly image: Uint8Array;
}

/** A still that was asked for: there, to come, or given up. */
export interface StillRow {
  readonly frame: number;
  readonly side: StillSide;
  readonly state: "PENDING" | "READY" | "FAILED";
  /** Of one that is READY. */
  readonly image:
    | {
        readonly mediaType: string;
        readonly width: number;
        readonly height: number;
        readonly bytes: number;
      }
    | undefined;
  /** Of one that is FAILED. */
  readonly error: StoredError | undefined;
}
