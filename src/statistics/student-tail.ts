/** The tail of Student's t distribution, for tests of significance. */

/** Relative precision at which the continued fraction ends. */
const PRECISION = 1e-14;
const MAX_TERMS = 10_000;
/** Replaces a denominator that is 0. */
const TINY = 1e-300;

/** Coefficients of the Lanczos approximation with g = 7, good to 15 digits (P. Godfrey, 2001). */
const LANCZOS_FIRST = 0.999_999_999_999_809_93;
/** Divided by x, x + 1 and so on. */
const LANCZOS = [
  676.520_368_121_885_1, -1259.139_216_722_402_8, 771.323_428_777_653_1, -176.615_029_162_140_6,
  12.507_343_278_686_905, -0.138_571_095_265_720_12, 9.984_369_578_019_572e-6, 1.505_632_735_149_311_6e-7,
];

/**
 * Returns the probability that Student's t with `freedom` degrees of freedom (above 0) is at most `t`. By the incomplete
 * beta function: half of I(x; ν/2, ½) with x = ν/(ν + t²) lies beyond ±|t| (NIST Digital Library of Mathematical
 * Functions, 8.17).
 */
export function studentBelow(t: number, freedom: number): number {
  const beyond = incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  return t < 0 ? beyond : 1 - beyond;
}

/** I(x; a, b), x from 0 to 1. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast on this side only.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b);
  return (Math.exp(front) / a) * fraction(x, a, b);
}

/** The continued fraction 8.17.22 of the Digital Library, by the method of Lentz. */
function fraction(x: number, a: number, b: number): number {
  let [c, d] = [1, 1 / nonzero(1 - ((a + b) * x) / (a + 1))];
  let value = d;
  for (let m = 1; m < MAX_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const term of [even, odd]) {
      d = 1 / nonzero(1 + term * d);
      c = nonzero(1 + term / c);
      step = c * d;
      value *= step;
    }
    if (Math.abs(step - 1) < PRECISION) break;
  }
  return value;
}

function nonzero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** Returns the logarithm of the gamma function for x above 0. */
function logGamma(x: number): number {
  const z = x - 1;
  const sum = LANCZOS.reduce(
    (total, coefficient, index) => total + coefficient / (z + index + 1),
    LANCZOS_FIRST,
  );
  const base = z + 7.5;
  return Math.log(2 * Math.PI) / 2 + (z + 0.5) * Math.log(base) - base + Math.log(sum);
}
