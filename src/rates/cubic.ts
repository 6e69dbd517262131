/**
 * The cubic polynomial of Bjøntegaard's proposal of 2001 (VCEG-M33): through four points; with more, the one with the
 * least squared errors.
 */
import type { Curve, Knots } from "./hermite.ts";

const DEGREE = 3;

/** Coefficients by power, from 0. */
type Polynomial = readonly number[];

/** The polynomial for at least four knots. Throws RangeError if there are fewer. */
export function cubic(knots: Knots): Curve {
  const [low, high] = [knots[0]?.[0] ?? 0, knots.at(-1)?.[0] ?? 0];
  if (knots.length <= DEGREE || !(high > low)) throw new RangeError("a cubic needs four points");
  // Computed from −1 to 1, where powers are of similar size.
  const [middle, half] = [(low + high) / 2, (high - low) / 2];
  const fitted = fit(knots.map(([x, y]) => [(x - middle) / half, y] as const));
  const primitive = [0, ...fitted.map((coefficient, power) => coefficient / (power + 1))];
  const valueAt = (polynomial: Polynomial, x: number) => value(polynomial, (x - middle) / half);
  return {
    at: (x) => valueAt(fitted, x),
    integral: (from, to) => half * (valueAt(primitive, to) - valueAt(primitive, from)),
  };
}

/** Returns the sum of the projections on polynomials that are orthogonal over the knots (Forsythe 1957). */
function fit(knots: Knots): Polynomial {
  let fitted: Polynomial = [0];
  let [before, current]: [Polynomial, Polynomial] = [[0], [1]];
  let sizeBefore = 1;
  for (let degree = 0; degree <= DEGREE; degree++) {
    let [size, share, moment] = [0, 0, 0];
    for (const [x, y] of knots) {
      const own = value(current, x);
      size += own ** 2;
      share += own * (y - value(fitted, x));
      moment += x * own ** 2;
    }
    fitted = plus(fitted, current, share / size);
    const shifted = plus([0, ...current], current, -moment / size);
    const next = plus(shifted, before, degree === 0 ? 0 : -size / sizeBefore);
    [before, current, sizeBefore] = [current, next, size];
  }
  return fitted;
}

/** One polynomial plus another times a factor. */
function plus(one: Polynomial, other: Polynomial, factor: number): Polynomial {
  const added: number[] = [];
  for (let power = 0; power < one.length || power < other.length; power++)
    added.push((one[power] ?? 0) + factor * (other[power] ?? 0));
  return added;
}

function value(polynomial: Polynomial, x: number): number {
  let sum = 0;
  for (let power = polynomial.length - 1; power >= 0; power--) sum = sum * x + (polynomial[power] ?? 0);
  return sum;
}
