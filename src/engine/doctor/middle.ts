/** Returns the value in the middle of the sorted values, the upper one of two; 0 for none. */
export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
