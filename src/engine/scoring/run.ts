/** One run of the scorer over a segment, and its outcome. */
import type { FrameSpan } from "../contract/finding.ts";
import type { Feature, Side } from "../contract/request.ts";
import type { Compared } from "../decoding/compared.ts";
import type { FrameTable } from "../frames/frame-table.ts";
import type { Model } from "../planning/models.ts";
import type { Limits, Sandbox } from "../sandbox/sandbox.ts";

/** One run of the scorer: a segment of a pair. */
export interface Run extends Compared {
  readonly sandbox: Sandbox;
  readonly models: readonly Model[];
  readonly features: readonly Feature[];
  readonly subsample: number;
  readonly threads: number;
  readonly limits: Limits;
  /** Frames of which small pictures are written, counted from the first one that passes; none: nothing is written. */
  readonly looked: readonly FrameSpan[];
  /** Called with the number of frames that have passed so far, context included. */
  readonly onFrames: (frames: number) => void;
}

/** Per side, the checksum (Adler-32) of all its pictures; undefined for a self-checking side, which needs none. */
export type Checksums = Readonly<Record<Side, string | undefined>>;

export interface RunOutcome {
  /** Per-frame values of the segment with its context, numbered from the first frame that the scorer saw. */
  readonly table: FrameTable;
  /** Number of frames that each side delivered. */
  readonly delivered: Readonly<Record<Side, number>>;
  /** Checksums of the compared pictures of sides that are not self-checking, for the second decoding (decode-check.ts). */
  readonly checksums: Checksums;
  /**
   * Change of each delivered frame of the reference from the one before (change-log.ts); undefined: the scorer does not
   * report it.
   */
  readonly changes: Float64Array | undefined;
}
