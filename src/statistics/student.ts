/** The quantile of Student's t distribution for intervals of 95 % confidence. */

/** Probability outside the interval, both sides together. */
const OUTSIDE = 0.05;
/** The 0.025 quantile of the standard normal distribution. */
const NORMAL = -1.959963984540054;

/**
 * Returns the 0.975 quantile of Student's t distribution with `freedom` degrees of freedom: at least 1, not necessarily
 * whole. From 2.5 degrees of freedom it is exact to five digits; below, it is too large, by up to 18 % at 1.
 *
 * G. Hill: Algorithm 396, Student's t-quantiles. Communications of the ACM 13, 1970. Names are those of the paper.
 */
export function student975(freedom: number): number {
  if (!(freedom >= 1)) throw new RangeError(`Student's t with ${freedom} degrees of freedom`);
  const n = freedom;
  const a = 1 / (n - 0.5);
  const b = 48 / a ** 2;
  const c = ((20_700 * (a / b) - 98) * a - 16) * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt((a * Math.PI) / 2) * n;
  const y = (d * OUTSIDE) ** (2 / n);
  return Math.sqrt(n * (y > 0.05 + a ? fromNormal(n, { a, b, c, d }) : fromPower(n, y, d)));
}

/** The expansion for many degrees of freedom, from the normal quantile. */
function fromNormal(n: number, { a, b, c, d }: { a: number; b: number; c: number; d: number }): number {
  const x = NORMAL;
  const small = n < 5 ? 0.3 * (n - 4.5) * (x + 0.6) : 0;
  const divisor = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c + small;
  const square = x ** 2;
  const terms = (((0.4 * square + 6.3) * square + 36) * square + 94.5) / divisor - square - 3;
  return Math.expm1(a * ((terms / b + 1) * x) ** 2);
}

/** The expansion for few degrees of freedom. */
function fromPower(n: number, y: number, d: number): number {
  const first = 1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4);
  return (first * y - 1) * ((n + 1) / (n + 2)) + 1 / y;
}
