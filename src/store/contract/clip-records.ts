/** Records of clips in the store's interface. */
import type { StoredError } from "./job-records.ts";
import type { ResultObject } from "./result-store.ts";

/** Facts about a video of both sides around a frame. */
export interface ClipFacts {
  /** The frame that it was requested for. */
  readonly frame: number;
  readonly firstFrame: number;
  readonly frameCount: number;
  readonly mediaType: string;
  /** Pixels of a side. */
  readonly width: number;
  readonly height: number;
  /** Size of the video in bytes. */
  readonly bytes: number;
}

/** A part of a reported video; all but the last one have CLIP_PIECE_BYTES. */
export interface ClipPiece {
  /** From 0. */
  readonly number: number;
  readonly piece: Uint8Array;
  /** Whether it is the last one. */
  readonly last: boolean;
}

/** A requested clip: ready, pending or failed. */
export interface ClipRow {
  readonly frame: number;
  readonly state: "PENDING" | "READY" | "FAILED";
  /** Set if the state is READY. */
  readonly clip: ClipFacts | undefined;
  /** Set if the state is FAILED. */
  readonly error: StoredError | undefined;
}

/** A clip of a job as one attempt made it. */
export interface MadeClip {
  /** The frame that it was requested for. */
  readonly frame: number;
  /** Changes when it is made again. */
  readonly madeBy: string;
}

/** A ready clip. */
export interface ReadyClip extends MadeClip {
  readonly clip: ClipFacts;
  /** The object that has the video; undefined: it is stored in pieces. */
  readonly object: ResultObject | undefined;
}
