/** Records of stills in the store's interface. */
import type { StoredError } from "./job-records.ts";
import type { ResultObject } from "./result-store.ts";

/** Frames of one scored segment to make stills of. */
export interface StillsPart {
  /** Absent if the pair was scored as a whole. */
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

/** A stored image: its bytes, or the object that has them. */
export type StoredStill = Omit<StillImage, "image"> &
  (
    | { readonly image: Uint8Array; readonly object?: never }
    | { readonly image?: never; readonly object: ResultObject }
  );

/** A requested still: ready, pending or failed. */
export interface StillRow {
  readonly frame: number;
  readonly side: StillSide;
  readonly state: "PENDING" | "READY" | "FAILED";
  /** Set if the state is READY. */
  readonly image:
    | {
        readonly mediaType: string;
        readonly width: number;
        readonly height: number;
        readonly bytes: number;
      }
    | undefined;
  /** Set if the state is FAILED. */
  readonly error: StoredError | undefined;
}
