/** A value axis with round numbers. */

export interface Axis {
  readonly low: number;
  readonly high: number;
  /** Values to label, from low to high. */
  readonly ticks: readonly number[];
  /** Digits behind the point that the labels need. */
  readonly decimals: number;
}

/** An axis from a round number at or below `min` to one at or above `max`, with about `count` ticks. */
export function valueAxis(min: number, max: number, count: number): Axis {
  const span = max - min;
  if (!(span > 0)) return flatAxis(min);
  const step = roundStep(span / Math.max(1, count - 1));
  const first = Math.floor(min / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(max / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return { low: Math.min(first * step, min), high: Math.max(last * step, max), ticks, decimals };
}

/** Every value is the same: it lies on the top line. */
function flatAxis(value: number): Axis {
  const below = Math.abs(value) < 2 ? 0.1 : 1;
  return { low: value - below, high: value, ticks: [value - below, value], decimals: below === 1 ? 1 : 3 };
}

/** 1, 2 or 5 times a power of ten, at or above the step asked. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5, 10].find((round) => round * power >= step * (1 - 1e-9)) ?? 10;
  return factor * power;
}
