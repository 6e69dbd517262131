/** The engine's work in pieces that travel: planned on one machine, scored on others, joined on a third. */
import type { FrameTable } from "./frames.ts";
import type { PairRequest, Side } from "./request.ts";
import type { ScorerInfo } from "./result.ts";

/** A model as this engine has it. */
export interface ModelId {
  readonly name: string;
  /** SHA-256 of its file in hex; empty for one built into the scorer. */
  readonly digest: string;
}

export interface WorkOptions {
  /** Whose pair it is: stands for `{tenant}` in the media roots; without it, roots with `{tenant}` hold nothing. */
  readonly tenant?: string | undefined;
  /** Ends the work: its programs are killed and SCORE_CANCELLED thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Wall-clock limit in milliseconds; SCORE_TIMEOUT when it runs out. Default: a day. */
  readonly timeoutMs?: number | undefined;
}

/** A pair that can be scored, cut into segments. The texts are JSON of the engine's own (plan-json.ts). */
export interface PlannedPair {
  /** All that is known of the pair but its segments: scorer, tracks, pairing, models, both files' sizes and times. */
  readonly plan: string;
  /** In frame order, at least one. One alone may be the whole. */
  readonly segments: readonly PlannedSegment[];
  /** Frames that will be scored when every one is (subsample 1). */
  readonly frameCount: number;
  /** Pixels of the picture in which both are compared. */
  readonly pixels: number;
  readonly models: readonly ModelId[];
}

export interface PlannedSegment {
  readonly first: number;
  readonly count: number;
  readonly segment: string;
}

export interface SegmentWork {
  /** As the job asks for it; its paths are opened on this machine. */
  readonly request: PairRequest;
  /** From a PlannedPair; checked, not trusted: it may come from another tenant's node. */
  readonly plan: string;
  /** From a PlannedSegment; undefined: all frames in one piece. */
  readonly segment: string | undefined;
}

export interface SegmentOptions extends WorkOptions {
  /** Frames of the segment's own that are scored so far. */
  readonly onFrames?: ((frames: number) => void) | undefined;
}

export interface SegmentScored {
  /** Values of the segment and its context, as the scorer numbered them. */
  readonly table: FrameTable;
  readonly durationMs: number;
  /** The plan as it was scored in the end, when scoring in one piece found other facts; else undefined. */
  readonly plan: string | undefined;
  /** Frames that were scored, as PlannedPair.frameCount; set with `plan`. */
  readonly frameCount: number | undefined;
}

/** Frames of a pair to be shown as they were compared, by the pieces that it was scored in. */
export interface StillsWork {
  readonly request: PairRequest;
  readonly plan: string;
  readonly parts: readonly StillsPart[];
}

export interface StillsPart {
  /** From a PlannedPair; undefined: all frames in one piece. */
  readonly segment: string | undefined;
  /** Numbers in the whole, of frames of the segment's own. */
  readonly frames: readonly number[];
}

/** A frame of one side as a picture. */
export interface Still {
  readonly frame: number;
  readonly side: Side;
  readonly mediaType: "image/webp";
  /** Pixels; those of the compared picture, or fewer where that is larger than a still may be. */
  readonly width: number;
  readonly height: number;
  /** At most MAX_STILL_BYTES (still.ts). */
  readonly image: Uint8Array;
}

/** What a worker sees of the engine; `Engine` (engine.ts) extends it. */
export interface WorkEngine {
  readonly scorer: ScorerInfo;
  /** Every model that this engine has, with the digests of those from files. */
  modelIds(): Promise<readonly ModelId[]>;
  /** Throws Failure when the pair cannot be compared. */
  plan(
    request: PairRequest,
    options: WorkOptions & { readonly segmentSeconds: number },
  ): Promise<PlannedPair>;
  /** Throws CutFault when the segment is not what the plan said: the pair must be scored in one piece. */
  scoreSegment(work: SegmentWork, options?: SegmentOptions): Promise<SegmentScored>;
  /** Whether its programs can make stills. */
  makesStills(): Promise<boolean>;
  /** Each frame of both sides: exactly those that were scored under their numbers. Throws Failure. */
  stills(work: StillsWork, options?: WorkOptions): Promise<readonly Still[]>;
}

/** One scored segment as it was stored: its text and its rows in the code of frame-code.ts. */
export interface StoredPart<Pieces = readonly Uint8Array[]> {
  /** undefined: all frames in one piece. */
  readonly segment: string | undefined;
  readonly pieces: Pieces;
}
