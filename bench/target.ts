/** Targets of measured ratios: a run that misses one prints it and exits with 1. */

export function holdTo(target: number, ratio: number, what: string): void {
  // NaN, because nothing was measured, misses the target too.
  if (ratio <= target) return;
  console.log(
    `TARGET MISSED: ${what}: the median ratio is ${ratio.toFixed(3)}; the maximum is ${target.toFixed(3)}`,
  );
  process.exitCode = 1;
}
