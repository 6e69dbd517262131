/** Stills, clips and per-frame scores as objects of the results storage, outside the database. The rules of Store apply. */
import type { MadeClip } from "./clip-records.ts";
import type { StillImage, StillSide } from "./still-records.ts";

/** Bytes of a part of an object, each of which has a digest. */
export const OBJECT_PART_BYTES = 2 ** 20;
export const DIGEST_BYTES = 32;

/** Maximum bytes of the per-frame scores in one object, unless a single chunk has more. */
export const SCORES_BYTES = 8 * 2 ** 20;

/** Places in which results can be kept. */
export const RESULT_PLACES = ["storage", "database"] as const;
export type ResultPlace = (typeof RESULT_PLACES)[number];

/** An object that a row refers to. */
export interface ResultObject {
  /** Below the prefix of the results storage. */
  readonly key: string;
  readonly bytes: number;
  /** SHA-256 of each part, one after the other. */
  readonly digests: Uint8Array;
}

/** An object that is about to be written. Nothing refers to it yet. */
export interface NewResultObject extends ResultObject {
  readonly id: string;
  readonly tenant: string;
}

export interface StillKey {
  readonly tenant: string;
  readonly jobId: string;
  readonly frame: number;
  readonly side: StillSide;
}

export interface ClipKey {
  readonly tenant: string;
  readonly jobId: string;
  readonly frame: number;
}

/** A still in the database that is to be moved to the storage. */
export interface UnmovedStill extends StillKey, Pick<StillImage, "image"> {}
export interface UnmovedClip extends ClipKey, MadeClip {
  readonly bytes: number;
}

/** A chunk of per-frame scores, in the database. */
export interface UnmovedChunk {
  readonly workId: string;
  readonly attempt: number;
  readonly number: number;
  readonly rows: Uint8Array;
}
/** Chunks of a job, one after the other as they are in an object; the job may have further chunks. */
export interface UnmovedScores {
  readonly tenant: string;
  readonly jobId: string;
  readonly chunks: readonly UnmovedChunk[];
}

/** An object in the storage that is to be moved to the database. */
export interface Moved {
  readonly objectId: string;
  readonly object: ResultObject;
}
export type MovedStill = StillKey & Moved;
export type MovedClip = ClipKey & Moved;
/** An object of scores, to which chunks of several jobs can refer. */
export interface MovedScores extends Moved {
  /** One of the jobs. */
  readonly jobId: string;
}

/** A chunk of per-frame scores in the storage: a range of an object. */
export interface ObjectRange {
  readonly object: ResultObject;
  readonly firstByte: number;
  readonly bytes: number;
}

/**
 * Number of stills and clips in each place, of objects of scores, and of jobs with scores that are to be moved; each is
 * counted up to a limit.
 */
export type ResultCounts = Readonly<Record<ResultPlace, number>>;

export interface ResultStore {
  /** Sets where controllers move results. */
  moveTo(place: ResultPlace): Promise<void>;
  place(): Promise<ResultPlace>;
  /** Counts up to `most` of each in each place; the scores of jobs are to be moved `scoresAfterMs` after their end. */
  count(most: number, scoresAfterMs: number): Promise<ResultCounts>;

  // Moving: a taken row is held for `holdMs`, and can be taken again after that. These methods take nothing
  // while results belong to the other place.

  takeStills(limit: number, holdMs: number): Promise<readonly UnmovedStill[]>;
  takeClips(limit: number, holdMs: number): Promise<readonly UnmovedClip[]>;
  /** Takes jobs that ended more than `afterMs` milliseconds ago, the oldest first. */
  takeScores(limit: number, holdMs: number, afterMs: number): Promise<readonly UnmovedScores[]>;
  /** Records an object before it is written. It is deleted unless a row refers to it within an hour. */
  reserve(object: NewResultObject): Promise<void>;
  /**
   * Replaces an image by an object. Returns false if the still no longer has this image, or if the object is
   * being deleted.
   */
  linkStill(objectId: string, still: UnmovedStill): Promise<boolean>;
  /** The same for a clip that was made by the same attempt. */
  linkClip(objectId: string, clip: UnmovedClip): Promise<boolean>;
  /** The same for per-frame scores; returns false if none of the chunks is in the database anymore. */
  linkScores(objectId: string, scores: UnmovedScores): Promise<boolean>;
  takeMovedStills(limit: number, holdMs: number): Promise<readonly MovedStill[]>;
  takeMovedClips(limit: number, holdMs: number): Promise<readonly MovedClip[]>;
  takeMovedScores(limit: number, holdMs: number): Promise<readonly MovedScores[]>;
  /**
   * Replaces the object of a still by an image; does nothing if the still refers to another object or is
   * deleted.
   */
  restoreStill(still: MovedStill, image: Uint8Array): Promise<void>;
  /** The same for a clip. `pieces`: of OBJECT_PART_BYTES, except the last one. */
  restoreClip(clip: MovedClip, pieces: readonly Uint8Array[]): Promise<void>;
  /** Replaces the ranges of an object by their bytes, in all jobs. */
  restoreScores(scores: Pick<MovedScores, "objectId">, content: Uint8Array): Promise<void>;

  // Deleting.

  /**
   * Returns objects to which no row refers, and prevents new references. They are returned again after `holdMs` until
   * they are forgotten.
   */
  takeUnreferenced(
    limit: number,
    holdMs: number,
  ): Promise<readonly { readonly id: string; readonly key: string }[]>;
  /** Removes objects that are deleted from the storage. */
  forget(ids: readonly string[]): Promise<void>;
}
