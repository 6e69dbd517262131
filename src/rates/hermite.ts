/** A curve of cubic pieces that passes through its knots with given slopes. Its integral is exact. */

/** Points in ascending order of x, without duplicates. */
export type Knots = readonly (readonly [x: number, y: number])[];

export interface Curve {
  /** Beyond the knots, the outer cubics are extrapolated. */
  at(x: number): number;
  /** The integral from one x to a larger one, both within the knots. */
  integral(from: number, to: number): number;
}

/** The interval between two neighbouring knots. */
export interface Interval {
  readonly start: number;
  readonly length: number;
  readonly from: number;
  /** Slope of the straight line between the knots. */
  readonly secant: number;
}

interface Piece {
  readonly start: number;
  readonly length: number;
  /** In t = x − start: a + b·t + c·t² + d·t³. */
  readonly coefficients: readonly [a: number, b: number, c: number, d: number];
}

export class HermiteCurve implements Curve {
  readonly #pieces: readonly Piece[];

  /** One slope per knot. */
  constructor(intervals: readonly Interval[], slopes: readonly number[]) {
    this.#pieces = intervals.map(({ start, length, from, secant }, index) => {
      const [left, right] = [slopes[index] ?? 0, slopes[index + 1] ?? 0];
      const c = (3 * secant - 2 * left - right) / length;
      const d = (left + right - 2 * secant) / length ** 2;
      return { start, length, coefficients: [from, left, c, d] };
    });
  }

  at(x: number): number {
    const { start, coefficients } = this.#pieceAt(x);
    const t = x - start;
    const [a, b, c, d] = coefficients;
    return a + t * (b + t * (c + t * d));
  }

  integral(from: number, to: number): number {
    let sum = 0;
    for (const piece of this.#pieces) {
      const [low, high] = [Math.max(from, piece.start), Math.min(to, piece.start + piece.length)];
      if (low < high) sum += primitive(piece, high) - primitive(piece, low);
    }
    return sum;
  }

  /** The last piece that starts at or before x, otherwise the first one. */
  #pieceAt(x: number): Piece {
    let index = this.#pieces.length - 1;
    while (index > 0 && (this.#pieces[index]?.start ?? 0) > x) index--;
    const piece = this.#pieces[index];
    if (piece === undefined) throw new RangeError("a curve needs two points");
    return piece;
  }
}

/** The intervals between at least two knots. Throws RangeError if the knots do not ascend. */
export function intervalsOf(knots: Knots): readonly Interval[] {
  if (knots.length < 2) throw new RangeError("a curve needs two points");
  return knots.slice(1).map(([x, y], index) => {
    const [start, from] = knots[index] ?? [x, y];
    const length = x - start;
    if (!(length > 0)) throw new RangeError("the points of a curve must ascend");
    return { start, length, from, secant: (y - from) / length };
  });
}

function primitive({ start, coefficients: [a, b, c, d] }: Piece, x: number): number {
  const t = x - start;
  return t * (a + t * (b / 2 + t * (c / 3 + (t * d) / 4)));
}
