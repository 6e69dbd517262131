/** The engine's work as distributable tasks: planned on one machine, scored on others, joined on a third. */
import type { FileHandle } from "node:fs/promises";
import type { ByteRange } from "../../jobs/media/byte-range.ts";
import type { FrameTable } from "../frames/frame-table.ts";
import type { Diagnosis } from "./diagnosis.ts";
import type { Finding } from "./finding.ts";
import type { PairRequest, Side } from "./request.ts";
import type { ScorerInfo } from "./result.ts";
import type { SegmentShots } from "./shots.ts";

/** Identifies a model of this engine. */
export interface ModelId {
  readonly name: string;
  /** SHA-256 of its file in hex; empty for one built into the scorer. */
  readonly digest: string;
}

/** A video that is not a file on this machine, and is fetched to disk. */
export interface RemoteVideo extends AsyncDisposable {
  /** Opened for reading only. Bytes that were not fetched read as zeros. */
  readonly handle: FileHandle;
  readonly path: string;
  /** File name without folders. */
  readonly fileName: string;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since 1970, or another number that changes with the content; 0 if unknown. */
  readonly modifiedMs: number;
  /** Equal only for the same content; undefined: not known. */
  readonly identity: string | undefined;
  /** For a rendition of a stream: the start of each of its segments in seconds, ascending from 0. */
  readonly segmentStarts?: readonly number[] | undefined;
  /** Fetches bytes to disk. Rejects with the reason of the signal if that aborts. Undefined: all bytes are there. */
  readonly fetch?: ((ranges: readonly ByteRange[]) => Promise<void>) | undefined;
  /**
   * Whether all of these bytes are on disk as they were fetched; the next fetch fetches those that are not.
   * Undefined if `fetch` is.
   */
  readonly holds?: ((ranges: readonly ByteRange[]) => Promise<boolean>) | undefined;
  /** Throws MEDIA_CHANGED if its source has changed. */
  verifyUnchanged(): Promise<void>;
}

/** Opens a video, and fetches nothing of it. `signal`: ends opening and fetching. */
export type OpenRemote = (signal: AbortSignal) => Promise<RemoteVideo>;

export interface WorkOptions {
  /**
   * The tenant of the pair. It replaces `{tenant}` in the media roots; without it, roots with `{tenant}` contain
   * nothing.
   */
  readonly tenant?: string | undefined;
  /** The sides that are not files on this machine; their names in the request are only displayed. */
  readonly remote?: Readonly<Partial<Record<Side, OpenRemote>>> | undefined;
  /** Cancels the work: its programs are killed and SCORE_CANCELLED is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Wall-clock limit in milliseconds; SCORE_TIMEOUT is thrown when it expires. Default: a day. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A pair that can be scored, cut into segments. Plan and segments are JSON texts in the engine's format (plan-json.ts).
 */
export interface PlannedPair {
  /** The pair without its segments: scorer, tracks, pairing, models, and the sizes and times of both files. */
  readonly plan: string;
  /** In frame order, at least one. A single one may be the whole video. */
  readonly segments: readonly PlannedSegment[];
  /** Number of frames that are scored without subsampling. */
  readonly frameCount: number;
  /** Pixels per frame in the size in which both sides are compared. */
  readonly pixels: number;
  readonly models: readonly ModelId[];
  /** SegmentScored.scoredBy of the machine that planned. */
  readonly scoredBy: string | undefined;
  /** Identifies each file without reading it (files/identity.ts); undefined: it changed too recently. */
  readonly identities: Readonly<Record<Side, string | undefined>>;
}

export interface PlannedSegment {
  readonly first: number;
  readonly count: number;
  readonly segment: string;
  /** Reuse key: segments with equal keys have equal scores if the same programs score them; undefined if not known. */
  readonly key: Uint8Array | undefined;
}

export interface WorkPlanOptions extends WorkOptions {
  /** Approximate length of a segment, or the units that a sample is drawn from. */
  readonly segments: { readonly seconds: number } | "units";
}

export interface SegmentWork {
  /** The request of the job. Its paths are opened on this machine. */
  readonly request: PairRequest;
  /** The plan from a PlannedPair. It is validated because it may come from another tenant's node. */
  readonly plan: string;
  /** The segment from a PlannedSegment; undefined: all frames in one run. */
  readonly segment: string | undefined;
}

export interface SegmentOptions extends WorkOptions {
  /** Called with the number of the segment's own frames that are scored so far. */
  readonly onFrames?: ((frames: number) => void) | undefined;
  /**
   * Called when the scorer has ended. Only the examination of the pictures remains, which takes one core for
   * a short time.
   */
  readonly onScored?: (() => void) | undefined;
}

export interface SegmentScored {
  /** Per-frame values of the segment and its context, numbered by the scorer. */
  readonly table: FrameTable;
  readonly durationMs: number;
  /** The plan as it was finally scored, if scoring the pair whole found other facts; else undefined. */
  readonly plan: string | undefined;
  /** Number of frames that were scored, as in PlannedPair.frameCount; set with `plan`. */
  readonly frameCount: number | undefined;
  /** Findings about how the videos relate in the segment. */
  readonly findings: readonly Finding[];
  /** The shots of the reference that the segment shows; undefined if not known. */
  readonly shots: SegmentShots | undefined;
  /**
   * Identifies the programs and processor that computed the scores (programs/digest.ts): a SHA-256 in hex; undefined if
   * not known.
   */
  readonly scoredBy: string | undefined;
}

/** Frames of a pair to make stills of, grouped by the segments in which they were scored. */
export interface StillsWork {
  readonly request: PairRequest;
  readonly plan: string;
  readonly parts: readonly StillsPart[];
}

export interface StillsPart {
  /** The segment from a PlannedPair; undefined: all frames in one run. */
  readonly segment: string | undefined;
  /** Numbers in the whole video of some of the segment's own frames. */
  readonly frames: readonly number[];
}

/** A frame of one side as an image. */
export interface Still {
  readonly frame: number;
  readonly side: Side;
  readonly mediaType: "image/webp";
  /** In pixels: the compared size, or less if that is larger than the limit of a still. */
  readonly width: number;
  readonly height: number;
  /** At most MAX_STILL_BYTES (still.ts). */
  readonly image: Uint8Array;
}

/** A moment of a pair to make a video of, with the frames around it, grouped as in StillsWork. */
export interface ClipWork extends StillsWork {
  /**
   * The frame that the video always contains, even if it has to be shorter. It is one of the parts' frames,
   * which are contiguous.
   */
  readonly frame: number;
}

/** A video of both sides next to each other: the reference in the left half, the distorted side in the right one. */
export interface Clip {
  readonly frame: number;
  /** Its frames. There are fewer than requested if the video would be larger than MAX_CLIP_BYTES. */
  readonly firstFrame: number;
  readonly frameCount: number;
  readonly mediaType: "video/mp4";
  /**
   * Size of a side in pixels: the compared size or a fraction of it. Each half of the video has this size,
   * plus one pixel where it is odd.
   */
  readonly width: number;
  readonly height: number;
  /** At most MAX_CLIP_BYTES (jobs/clips.ts). */
  readonly video: Uint8Array;
}

/** A scorer of an engine, and the models and short names that it has. */
export interface AvailableScorer {
  readonly scorer: ScorerInfo;
  readonly models: readonly ModelId[];
  /** As in SegmentScored. */
  readonly scoredBy: string | undefined;
}

/** The engine's interface for workers; `Engine` (engine.ts) extends it. */
export interface WorkEngine {
  /** The default scorer. */
  readonly scorer: ScorerInfo;
  /** Returns every scorer of this machine, the default one first. */
  scorers(): Promise<readonly AvailableScorer[]>;
  /** Throws a Failure if the pair cannot be compared. */
  plan(request: PairRequest, options: WorkPlanOptions): Promise<PlannedPair>;
  /** Throws SegmentMismatch if the segment does not match the plan: the pair must then be scored whole. */
  scoreSegment(work: SegmentWork, options?: SegmentOptions): Promise<SegmentScored>;
  /** Whether its programs can diagnose pairs. */
  readonly canDiagnose: boolean;
  /**
   * Finds out how the two videos of a pair relate. The request's policies do not apply. Throws Failure if one cannot be
   * read.
   */
  diagnose(request: PairRequest, options?: WorkOptions): Promise<Diagnosis>;
  /** Whether its programs can make stills. */
  makesStills(): Promise<boolean>;
  /** Returns each frame of both sides: exactly the frames that were scored under these numbers. Throws a Failure. */
  stills(work: StillsWork, options?: WorkOptions): Promise<readonly Still[]>;
  /** Whether its programs can make clips. */
  makesClips(): Promise<boolean>;
  /** Returns a video of both sides, of exactly the frames that were scored under these numbers. Throws a Failure. */
  clip(work: ClipWork, options?: WorkOptions): Promise<Clip>;
}

/** A scored segment as stored: its text, and its rows in the format of frames/codec.ts. */
export interface StoredPart<Chunks = readonly Uint8Array[]> {
  /** undefined: all frames in one run. */
  readonly segment: string | undefined;
  /** Chunks of rows. */
  readonly chunks: Chunks;
  /** Its findings; default: none. */
  readonly findings?: readonly Finding[];
  /** undefined: not known. */
  readonly shots?: SegmentShots | undefined;
}
