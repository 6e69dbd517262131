/** Calls that are kept in flight: as many at a time, each followed at once by the next. */
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

/** The value below which a share of the values lies (0 to 1), of those that were seen. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}
