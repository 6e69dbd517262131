/** Bytes of a file or an object, both inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Returns the number of bytes of ranges; those that overlap count twice. */
export function bytesIn(ranges: readonly ByteRange[]): number {
  return ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}
