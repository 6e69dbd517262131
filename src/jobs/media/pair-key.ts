/** Keys by which pairs of videos are compared. */
import { renditionName } from "./titles.ts";

interface Pair {
  readonly reference: string;
  readonly distorted: string;
}

/** Returns a key that is equal for pairs of the same two videos. */
export function pairKey(pair: Pair): string {
  return JSON.stringify([pair.reference, pair.distorted]);
}

/** Returns the keys of pairs, and of the pairs whose distorted video is a title with a rendition among them. */
export function keysOf(pairs: readonly Pair[]): ReadonlySet<string> {
  const titles = pairs.flatMap(({ reference, distorted }) => {
    const manifest = renditionName(distorted)?.manifest;
    return manifest === undefined ? [] : [{ reference, distorted: manifest }];
  });
  return new Set([...pairs, ...titles].map(pairKey));
}
