/**
 * Akima's interpolation (H. Akima 1970): the slope at a knot depends on two intervals on each side, and follows the
 * side on which the secants change less. It may overshoot slightly, but no far knot bends it.
 */
import { type Curve, HermiteCurve, intervalsOf, type Knots } from "./hermite.ts";

/** Share of the largest change of secants; smaller changes count as none. Chosen as in scipy's Akima1DInterpolator. */
const NEGLIGIBLE = 1e-9;

/** The curve through at least two knots; two give a line. Throws RangeError if the knots do not ascend. */
export function akima(knots: Knots): Curve {
  const intervals = intervalsOf(knots);
  return new HermiteCurve(intervals, slopesOf(intervals.map(({ secant }) => secant)));
}

/** One slope per knot. */
function slopesOf(secants: readonly number[]): number[] {
  const around = extended(secants);
  const knots = secants.length + 1;
  const changes = around.slice(1).map((secant, index) => Math.abs(secant - (around[index] ?? secant)));
  const weights = Array.from(
    { length: knots },
    (_, knot) => [changes[knot + 2] ?? 0, changes[knot] ?? 0] as const,
  );
  const largest = weights.reduce((most, [before, after]) => Math.max(most, before + after), 0);
  return weights.map(([before, after], knot) => {
    const [left, right] = [around[knot + 1] ?? 0, around[knot + 2] ?? 0];
    // The secants change on neither side, so neither side is preferred.
    if (!(before + after > NEGLIGIBLE * largest)) return ((around[knot] ?? 0) + (around[knot + 3] ?? 0)) / 2;
    return (before * left + after * right) / (before + after);
  });
}

/** The secants with two more on each side, on which they continue along a parabola. */
function extended(secants: readonly number[]): number[] {
  const [first = 0, second = first] = secants;
  const [last = 0, secondLast = last] = secants.toReversed();
  const [before, after] = [2 * first - second, 2 * last - secondLast];
  return [2 * before - first, before, ...secants, after, 2 * after - last];
}
