/** What a measured ratio may be at most: a run that misses a target says so and exits with 1. */

export function holdTo(target: number, ratio: number, what: string): void {
  // Not a number, because nothing was measured, is missed too.
  if (ratio <= target) return;
  console.log(
    `TARGET MISSED: ${what}: the median ratio is ${ratio.toFixed(3)}, and may be ${target.toFixed(3)}`,
  );
  process.exitCode = 1;
}
