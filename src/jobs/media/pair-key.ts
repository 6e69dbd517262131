/** Returns a key that is equal for pairs of the same two videos. */
export function pairKey(pair: { readonly reference: string; readonly distorted: string }): string {
  return JSON.stringify([pair.reference, pair.distorted]);
}
