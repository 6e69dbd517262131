/** Makes calls with a fixed concurrency: each is followed immediately by the next. */
export async function inFlight(
  calls: number,
  width: number,
  call: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < calls) await call(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

/** Returns the percentile of the values, by nearest rank; `share` is 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}
