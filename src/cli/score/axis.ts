/** A value axis with round numbers. */

export interface Axis {
  readonly low: number;
  readonly high: number;
  /** Values to label, from low to high. */
  readonly ticks: readonly number[];
  /** Decimals that the labels need. */
  readonly decimals: number;
}

/** Tick steps, to be multiplied by a power of ten, and the decimals that each adds. */
const ROUND_STEPS = [
  { factor: 1, digits: 0 },
  { factor: 2, digits: 0 },
  { factor: 2.5, digits: 1 },
  { factor: 5, digits: 0 },
] as const;
/** Tolerance for rounding errors of values that lie on a tick. */
const EPSILON = 1e-9;

/** Returns an axis from a round number ≤ `min` to one ≥ `max`, with at most `maxTicks` ticks (2 or more). */
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

/** Ends an axis at the largest value that its metric can have, which need not be a round number. */
export function endingAt(axis: Axis, limit: number): Axis {
  if (axis.high <= limit) return axis;
  return { ...axis, high: limit, ticks: axis.ticks.map((tick) => Math.min(tick, limit)) };
}

/** An axis for a series whose values are all equal: they lie on the top line. */
function flatAxis(value: number): Axis {
  const below = Math.abs(value) < 2 ? 0.1 : 1;
  return { low: value - below, high: value, ticks: [value - below, value], decimals: below === 1 ? 1 : 3 };
}
