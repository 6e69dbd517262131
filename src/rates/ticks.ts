/** The axes of charts: their ticks, and where values are on them. */

/** Returns about `count` round numbers, from just below `low` to just above `high`. */
export function ticks(low: number, high: number, count: number): readonly number[] {
  // Values that are almost equal use their own magnitude as the span.
  const span = high - low > Math.abs(high) * 1e-6 ? high - low : Math.max(Math.abs(high), 1);
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5].find((by) => by * power >= rough) ?? 10);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: Math.max(2, last - first + 1) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

/**
 * Returns about `count` of the numbers 1, 2, 5, 10, 20 …, from the last one ≤ `low` to the first one ≥ `high`; both above
 * 0. They are every n-th number below the highest, and the lowest; one that is too close to the lowest is left out.
 */
export function ratios(low: number, high: number, count: number): readonly number[] {
  const powers = Array.from({ length: 32 }, (_, index) => index - 6);
  const all = powers.flatMap((power) => [1, 2, 5].map((by) => by * 10 ** power));
  const first = all.findLastIndex((value) => value <= low);
  const last = all.findIndex((value) => value >= high);
  const within = all.slice(Math.max(0, first), Math.max(first + 1, last) + 1);
  const every = Math.ceil((within.length - 1) / Math.max(1, count));
  // The highest and the lowest are the ends of the axis.
  return within.filter(
    (_, index) => index === 0 || ((within.length - 1 - index) % every === 0 && index >= every / 2),
  );
}

/** Where values are on an axis from `from` to `to`, whose ends are the first and the last tick. */
export function linearAxis(marks: readonly number[], from: number, to: number): (value: number) => number {
  const [low, high] = [marks[0] ?? 0, marks.at(-1) ?? 1];
  return (value) => from + ((value - low) / (high - low || 1)) * (to - from);
}

/** Like linearAxis, but equal distances are equal ratios. */
export function logAxis(marks: readonly number[], from: number, to: number): (value: number) => number {
  const place = linearAxis(marks.map(Math.log10), from, to);
  return (value) => place(Math.log10(value));
}
