/** One side of a comparison: the points of a ladder in one clip by one metric. */
import { type AomLadder, aomHull, aomLadder } from "./aom-ctc.ts";
import { type Fitted, fitsOf, type Interpolation } from "./bd-rate.ts";
import type { Hull } from "./ladder-hulls.ts";
import type { Encode, GivenPoint } from "./points.ts";
import { inDecibels, type Quality } from "./quality.ts";

/** Whether scores are compared as they are, or in decibels from the largest score. */
export type Scale = "linear" | "log";

/** The encodes of a ladder in one clip. */
export interface SideEncodes {
  readonly given: readonly Encode[];
  /** The hull that is the ladder's curve; undefined: all encodes are points of it. */
  readonly hull: Hull | undefined;
}

/** Caches computations that several comparisons share. */
export class Side {
  readonly given: readonly GivenPoint[];
  readonly hull: Hull | undefined;
  /** The given points that the curve passes through. */
  readonly #kept: readonly GivenPoint[];
  readonly #metric: Quality;
  readonly #scaled = new Map<Scale, readonly GivenPoint[]>();
  readonly #fits = new Map<Scale, ReturnType<typeof fitsOf<GivenPoint>>>();
  readonly #fitted = new Map<string, Fitted<GivenPoint>>();
  #aom: AomLadder<GivenPoint> | undefined;

  /** `index`: of the metric in the scores. */
  constructor({ given, hull }: SideEncodes, metric: Quality, index: number) {
    this.given = pointsOf(given, index);
    this.hull = hull;
    this.#kept = hull === undefined ? this.given : pointsOf(hull.on, index);
    this.#metric = metric;
  }

  /** Returns the points of the curve with scores for which higher is better. */
  points(scale: Scale): readonly GivenPoint[] {
    return getOrMake(this.#scaled, scale, () => this.#upright(this.#kept, scale));
  }

  #upright(points: readonly GivenPoint[], scale: Scale): readonly GivenPoint[] {
    const { isLower, max = 0 } = this.#metric;
    const change = (score: number) => (scale === "log" ? inDecibels(score, max) : isLower ? -score : score);
    return points.map((point) => ({ ...point, score: change(point.given) }));
  }

  fitted(method: Interpolation, scale: Scale): Fitted<GivenPoint> {
    const fits = getOrMake(this.#fits, scale, () => fitsOf(this.points(scale)));
    return getOrMake(this.#fitted, `${method} ${scale}`, () => fits(method));
  }

  get aom(): AomLadder<GivenPoint> {
    this.#aom ??=
      this.hull === undefined
        ? aomLadder(this.points("linear"), this.#metric.isVmaf)
        : aomHull(this.#upright(this.given, "linear"));
    return this.#aom;
  }
}

function pointsOf(encodes: readonly Encode[], metric: number): readonly GivenPoint[] {
  return encodes.map(({ rate, size, scores }) => {
    const score = scores[metric] ?? Number.NaN;
    return { rate, size, score, given: score };
  });
}

function getOrMake<Key, Value>(made: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known;
}
