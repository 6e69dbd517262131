/** How a file is divided into the parts of an upload to a bucket. */

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Maximum parts of an upload: as many as S3 lists at a time. S3 allows 10,000. */
const MAX_PARTS = 1000;
/** Minimum bytes of a part. S3 takes 5 MiB to 5 GiB. */
const SMALLEST_PART = 16 * MIB;
/** Maximum bytes of a file, in parts of 5 GiB. */
export const MAX_PARTED_SIZE = MAX_PARTS * 5 * GIB;
/** Maximum parts whose URLs one call can request. */
export const MAX_SIGNED_PARTS = 16;

/** A file that is sent in parts. */
export interface Parted {
  /** Bytes of the file. */
  readonly size: number;
  /** Bytes of each part but the last one. */
  readonly partSize: number;
}

/** Bytes of a file. */
export interface PartRange {
  readonly offset: number;
  readonly length: number;
}

/** Returns the size of parts, in whole MiB. */
export function partSizeOf(size: number): number {
  return Math.max(SMALLEST_PART, Math.ceil(size / MAX_PARTS / MIB) * MIB);
}

export function partCountOf({ size, partSize }: Parted): number {
  return Math.ceil(size / partSize);
}

/** Returns the bytes of a part. `number` counts from 1. */
export function partRangeOf({ size, partSize }: Parted, number: number): PartRange {
  const offset = (number - 1) * partSize;
  return { offset, length: Math.min(partSize, size - offset) };
}

/** Returns the numbers of the parts that are not among these. */
export function missingParts(file: Parted, stored: readonly number[]): readonly number[] {
  const present = new Set(stored);
  const all = Array.from({ length: partCountOf(file) }, (_, index) => index + 1);
  return all.filter((number) => !present.has(number));
}
