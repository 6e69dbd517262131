/**
 * Piecewise cubic Hermite interpolation without overshoot (Fritsch and Carlson 1980; slopes by Fritsch and Butland
 * 1984): monotone values give a monotone curve. The integral is exact, computed per interval.
 */

/** Ascending in x, with no x twice. */
export type Knots = readonly (readonly [x: number, y: number])[];

interface Piece {
  readonly start: number;
  readonly length: number;
  /** In t = x − start: a + b·t + c·t² + d·t³. */
  readonly coefficients: readonly [a: number, b: number, c: number, d: number];
}

export class Pchip {
  readonly #pieces: readonly Piece[];

  /** At least two knots. Throws RangeError if they do not ascend. */
  constructor(knots: Knots) {
    const slopes = slopesOf(knots);
    this.#pieces = intervalsOf(knots).map(({ start, length, from, secant }, index) => {
      const [left, right] = [slopes[index] ?? 0, slopes[index + 1] ?? 0];
      const c = (3 * secant - 2 * left - right) / length;
      const d = (left + right - 2 * secant) / length ** 2;
      return { start, length, coefficients: [from, left, c, d] };
    });
  }

  /** Beyond the knots, the outer cubics are extrapolated. */
  at(x: number): number {
    const { start, coefficients } = this.#pieces.findLast((piece) => piece.start <= x) ?? this.#first;
    const t = x - start;
    const [a, b, c, d] = coefficients;
    return a + t * (b + t * (c + t * d));
  }

  /** The integral from one x to a larger one, both within the knots. */
  integral(from: number, to: number): number {
    return this.#pieces
      .filter(({ start, length }) => start < to && start + length > from)
      .map((piece) => {
        const [low, high] = [Math.max(from, piece.start), Math.min(to, piece.start + piece.length)];
        return primitive(piece, high) - primitive(piece, low);
      })
      .reduce((sum, area) => sum + area, 0);
  }

  get #first(): Piece {
    const [first] = this.#pieces;
    if (first === undefined) throw new RangeError("a curve needs two points");
    return first;
  }
}

function primitive({ start, coefficients: [a, b, c, d] }: Piece, x: number): number {
  const t = x - start;
  return t * (a + t * (b / 2 + t * (c / 3 + (t * d) / 4)));
}

interface Interval {
  readonly start: number;
  readonly length: number;
  readonly from: number;
  /** Slope of the straight line between the knots. */
  readonly secant: number;
}

function intervalsOf(knots: Knots): Interval[] {
  return knots.slice(1).map(([x, y], index) => {
    const [start, from] = knots[index] ?? [x, y];
    const length = x - start;
    if (!(length > 0)) throw new RangeError("the points of a curve must ascend");
    return { start, length, from, secant: (y - from) / length };
  });
}

/** One slope per knot. */
function slopesOf(knots: Knots): number[] {
  const intervals = intervalsOf(knots);
  const [first] = intervals;
  if (first === undefined) throw new RangeError("a curve needs two points");
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
