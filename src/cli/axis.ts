/** A value axis with round numbers. */

export interface Axis {
  readonly low: number;
  readonly high: number;
  /** Values to label, from low to high. */
  readonly ticks: readonly number[];
  /** Digits behind the point that the labels need. */
  readonly decimals: number;
}

/** Steps between ticks, times a power of ten; with the digits that each adds to that power's. */
const ROUND_STEPS = [
  { factor: 1, digits: 0 },
  { factor: 2, digits: 0 },
  { factor: 2.5, digits: 1 },
  { factor: 5, digits: 0 },
] as const;
/** Tolerance for values that are a tick but for the last bit. */
const EPSILON = 1e-9;

/** An axis from a round number at or below `min` to one at or above `max`, with as many ticks as fit `maxTicks` (from 2). */
export function valueAxis(min: number, max: number, maxTicks: number): Axis {
  const span = max - min;
  if (!(span > 0)) return flatAxis(min);
  for (let exponent = Math.floor(Math.log10(span / maxTicks)); ; exponent++) {
    for (const { factor, digits } of ROUND_STEPS) {
      const step = factor * 10 ** exponent;
      const first = Math.floor(min / step + EPSILON);
      const last = Math.max(first + 1, Math.ceil(max / step - EPSILON));
      if (last - first >= maxTicks) continue;
      const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
      return {
        low: Math.min(first * step, min),
        high: Math.max(last * step, max),
        ticks,
        decimals: Math.max(0, digits - exponent),
      };
    }
  }
}

/** Every value is the same: it lies on the top line. */
function flatAxis(value: number): Axis {
  const below = Math.abs(value) < 2 ? 0.1 : 1;
  return { low: value - below, high: value, ticks: [value - below, value], decimals: below === 1 ? 1 : 3 };
}
