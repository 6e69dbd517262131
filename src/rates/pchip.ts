/**
 * Piecewise cubic Hermite interpolation without overshoot (Fritsch and Carlson 1980; slopes by Fritsch and Butland
 * 1984): monotone values give a monotone curve.
 */
import { type Curve, HermiteCurve, type Interval, intervalsOf, type Knots } from "./hermite.ts";

/** The curve through at least two knots. Throws RangeError if they do not ascend. */
export function pchip(knots: Knots): Curve {
  const intervals = intervalsOf(knots);
  return new HermiteCurve(intervals, slopesOf(intervals));
}

/** One slope per knot. */
function slopesOf(intervals: readonly Interval[]): number[] {
  const [first] = intervals;
  if (first === undefined) return [];
  if (intervals.length === 1) return [first.secant, first.secant];
  const inner = intervals.slice(1).map((after, index) => innerSlope(intervals[index] ?? after, after));
  const last = intervals.at(-1) ?? first;
  return [endSlope(first, intervals[1] ?? first), ...inner, endSlope(last, intervals.at(-2) ?? last)];
}

/** The weighted harmonic mean of the secants on both sides; 0 at a local extremum. */
function innerSlope(before: Interval, after: Interval): number {
  if (!(before.secant * after.secant > 0)) return 0;
  const left = 2 * after.length + before.length;
  const right = after.length + 2 * before.length;
  return (left + right) / (left / before.secant + right / after.secant);
}

/** The slope at the end of the parabola through three knots, limited to preserve the shape of the data. */
function endSlope(end: Interval, next: Interval): number {
  const slope =
    ((2 * end.length + next.length) * end.secant - end.length * next.secant) / (end.length + next.length);
  if (slope * end.secant <= 0) return 0;
  return end.secant * next.secant <= 0 && Math.abs(slope) > 3 * Math.abs(end.secant) ? 3 * end.secant : slope;
}
