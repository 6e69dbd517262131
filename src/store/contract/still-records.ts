/** Records of stills in the store's interface. */
import type { StoredError } from "./job-records.ts";

/** Frames of one scored segment to make stills of. */
export interface StillsPart {
  /** Absent: scored as a whole. */
  readonly segment?: string;
  readonly frames: readonly number[];
}

export const SIDES = ["REFERENCE", "DISTORTED"] as const;
export type StillSide = (typeof SIDES)[number];

/** The image of a frame of one side. */
export interface StillImage {
  readonly frame: number;
  readonly side: StillSide;
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
  readonly image: Uint8Array;
}

/** A requested still: ready, pending or failed. */
export interface StillRow {
  readonly frame: number;
  readonly side: StillSide;
  readonly state: "PENDING" | "READY" | "FAILED";
  /** If READY. */
  readonly image:
    | {
        readonly mediaType: string;
        readonly width: number;
        readonly height: number;
        readonly bytes: number;
      }
    | undefined;
  /** If FAILED. */
  readonly error: StoredError | undefined;
}
