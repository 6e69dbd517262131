/** Compares the ladders of a table of encodes with one of them: clip by clip, by every metric and method. */
import { type AomLadder, aomBdRate, aomLadder, MIN_REMAINING } from "./aom-ctc.ts";
import {
  bdRateOf,
  bdScoreOf,
  type Fitted,
  fitsOf,
  INTERPOLATORS,
  type Interpolation,
  type Outcome,
} from "./bd-rate.ts";
import { crossings } from "./difference-curves.ts";
import { type Flaw, MIN_POINTS, type RatePoint, type Refusal } from "./points.ts";
import { inDecibels, type Quality } from "./quality.ts";

const INTERPOLATIONS = ["pchip", "akima", "cubic"] as const satisfies readonly Interpolation[];
/** The ways to compute a BD-rate, as responses name them. */
export const METHODS = [...INTERPOLATIONS, "aom-ctc"] as const;
export type Method = (typeof METHODS)[number];
/** Whether scores are compared as they are, or in decibels from the largest score. */
export type Scale = "linear" | "log";

/** One row of the table: an encode. */
export interface Encode {
  readonly ladder: string;
  /** Empty if the table has no clips. */
  readonly clip: string;
  readonly rate: number;
  /** In the order of the metrics; NaN if there is none. */
  readonly scores: readonly number[];
}

/** A point with its score as given; the point's own score can be negated or scaled. */
export interface GivenPoint extends RatePoint {
  readonly given: number;
}

export type Code = Refusal | "AT_MAXIMUM" | "OUT_OF_RANGE";

/** Why there is no BD-rate. */
export interface Refused {
  readonly code: Code;
  /** The ladder with the flaw; undefined if the flaw is not in a single ladder. */
  readonly ladder: string | undefined;
  /** Points of this ladder, and how many are needed. */
  readonly points: number;
  readonly needed: number;
  readonly between: readonly [GivenPoint, GivenPoint] | undefined;
}

/** The subject of a result: ladder, clip, metric, method and scale. */
export interface Subject {
  readonly ladder: string;
  readonly metric: Quality;
  readonly method: Method;
  readonly scale: Scale;
}

export interface Result extends Subject {
  readonly clip: string;
  /** Percent; undefined if refused. */
  readonly bdRate: number | undefined;
  /** In the metric's points, in decibels on the logarithmic scale; undefined if refused or not defined. */
  readonly bdQuality: number | undefined;
  /** Shares of the wider ladder's range of scores and of log rates. */
  readonly overlap: number | undefined;
  readonly rateOverlap: number | undefined;
  /** Scores at which the curves cross, computed when read; only of "pchip" on the linear scale. */
  readonly crossings: readonly number[];
  /** Points that the method left out. */
  readonly dropped: number;
  readonly refused: Refused | undefined;
}

export interface Average extends Subject {
  readonly bdRate: number | undefined;
  /** Undefined also if one of the clips has none. */
  readonly bdQuality: number | undefined;
  /** Clips with a BD-rate, which are averaged. */
  readonly clips: number;
  readonly refused: number;
}

export interface Comparison {
  readonly anchor: string;
  readonly metrics: readonly Quality[];
  readonly results: readonly Result[];
  readonly averages: readonly Average[];
}

/** Ladders and clips in the order of the table. */
export function compareLadders(
  encodes: readonly Encode[],
  metrics: readonly Quality[],
  anchor: string,
): Comparison {
  const byLadder = Map.groupBy(encodes, ({ ladder }) => ladder);
  const clips = [...new Set(encodes.map(({ clip }) => clip))];
  const places = new Map(
    [...byLadder].map(([ladder, own]) => [ladder, Map.groupBy(own, ({ clip }) => clip)] as const),
  );
  const at = (ladder: string, clip: string) => places.get(ladder)?.get(clip) ?? [];
  const others = [...byLadder.keys()].filter((ladder) => ladder !== anchor);
  const results: Result[] = [];
  for (const [index, metric] of metrics.entries()) {
    const sideOf = (ladder: string, clip: string) => new Side(pointsOf(at(ladder, clip), index), metric);
    const anchors = new Map(clips.map((clip) => [clip, sideOf(anchor, clip)] as const));
    for (const ladder of others)
      for (const clip of clips) {
        const sides = { anchor: anchors.get(clip) ?? sideOf(anchor, clip), test: sideOf(ladder, clip) };
        if (sides.anchor.given.length + sides.test.given.length === 0) continue;
        results.push(...resultsOf({ ladder, clip, metric, anchor }, sides));
      }
  }
  return { anchor, metrics, results, averages: averagesOf(results) };
}

function pointsOf(encodes: readonly Encode[], metric: number): readonly GivenPoint[] {
  return encodes.map(({ rate, scores }) => {
    const score = scores[metric] ?? Number.NaN;
    return { rate, score, given: score };
  });
}

/** The points of a ladder in one clip by one metric, with cached computations that several comparisons share. */
class Side {
  readonly given: readonly GivenPoint[];
  readonly #metric: Quality;
  readonly #scaled = new Map<Scale, readonly GivenPoint[]>();
  readonly #fits = new Map<Scale, ReturnType<typeof fitsOf<GivenPoint>>>();
  readonly #fitted = new Map<string, Fitted<GivenPoint>>();
  #aom: AomLadder<GivenPoint> | undefined;

  constructor(given: readonly GivenPoint[], metric: Quality) {
    this.given = given;
    this.#metric = metric;
  }

  /** Returns the points with scores for which higher is better. */
  points(scale: Scale): readonly GivenPoint[] {
    const { isLower, max = 0 } = this.#metric;
    const change = (score: number) => (scale === "log" ? inDecibels(score, max) : isLower ? -score : score);
    return getOrMake(this.#scaled, scale, () =>
      this.given.map((point) => ({ ...point, score: change(point.given) })),
    );
  }

  fitted(method: Interpolation, scale: Scale): Fitted<GivenPoint> {
    const fits = getOrMake(this.#fits, scale, () => fitsOf(this.points(scale)));
    return getOrMake(this.#fitted, `${method} ${scale}`, () => fits(method));
  }

  get aom(): AomLadder<GivenPoint> {
    this.#aom ??= aomLadder(this.points("linear"), this.#metric.isVmaf);
    return this.#aom;
  }
}

function getOrMake<Key, Value>(made: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known;
}

interface Sides {
  readonly anchor: Side;
  readonly test: Side;
}

interface Pair extends Pick<Result, "ladder" | "clip" | "metric"> {
  readonly anchor: string;
}

function resultsOf(pair: Pair, sides: Sides): readonly Result[] {
  const results = INTERPOLATIONS.map((method) => interpolated(pair, sides, method, "linear"));
  results.push(aomResult(pair, sides));
  if (pair.metric.max === undefined) return results;
  return [...results, ...INTERPOLATIONS.map((method) => interpolated(pair, sides, method, "log"))];
}

function interpolated(pair: Pair, sides: Sides, method: Interpolation, scale: Scale): Result {
  const needed = INTERPOLATORS[method].points;
  const [one, other] = [sides.anchor.fitted(method, scale), sides.test.fitted(method, scale)];
  const refused =
    flawed(pair.anchor, sides.anchor.points(scale), one.flaw, needed, scale) ??
    flawed(pair.ladder, sides.test.points(scale), other.flaw, needed, scale);
  if (refused !== undefined) return resultOf(pair, method, scale, { refused });
  const [rate, score] = [bdRateOf(one, other), bdScoreOf(one, other)];
  const crossed = method === "pchip" && scale === "linear" ? () => crossings(one, other) : undefined;
  return resultOf(pair, method, scale, { rate, score, crossed });
}

function aomResult(pair: Pair, { anchor, test }: Sides): Result {
  const [one, other] = [anchor.aom, test.aom];
  const dropped = one.dropped + other.dropped;
  const refused = aomFlaw(pair.anchor, anchor.given, one) ?? aomFlaw(pair.ladder, test.given, other);
  const rate = refused === undefined ? aomBdRate(one, other) : undefined;
  return resultOf(pair, "aom-ctc", "linear", { rate, refused, dropped });
}

function aomFlaw(ladder: string, given: readonly GivenPoint[], { flaw, dropped }: AomLadder<GivenPoint>) {
  const left = given.slice(dropped);
  return flawed(ladder, left, flaw, dropped === 0 ? MIN_POINTS : MIN_REMAINING, "linear");
}

function flawed(
  ladder: string,
  points: readonly GivenPoint[],
  flaw: Flaw<GivenPoint> | undefined,
  needed: number,
  scale: Scale,
): Refused | undefined {
  if (flaw === undefined) return undefined;
  const isScaled = flaw.refusal === "NO_SCORE" && scale === "log";
  // Here the score itself is a number, and only its logarithm is not.
  const code = isScaled && points.every(({ given }) => Number.isFinite(given)) ? "AT_MAXIMUM" : flaw.refusal;
  return { code, ladder, points: points.length, needed, between: flaw.between };
}

interface Computed {
  readonly rate?: Outcome | undefined;
  readonly score?: Outcome | undefined;
  readonly refused?: Refused | undefined;
  readonly dropped?: number;
  /** Of scores of which a higher one is better. */
  readonly crossed?: (() => readonly number[]) | undefined;
}

function resultOf(pair: Pair, method: Method, scale: Scale, computed: Computed): Result {
  const { ladder, clip, metric } = pair;
  const [rate, score] = [deltaOf(computed.rate), deltaOf(computed.score)];
  const bdRate = finite(rate?.value);
  const bdQuality = finite(score?.value);
  return {
    ...{ ladder, clip, metric, method, scale, bdRate },
    bdQuality: bdQuality !== undefined && metric.isLower && scale === "linear" ? -bdQuality : bdQuality,
    overlap: rate?.overlap,
    rateOverlap: score?.overlap,
    get crossings() {
      return (computed.crossed?.() ?? []).map((at) => (metric.isLower ? -at : at));
    },
    dropped: computed.dropped ?? 0,
    refused: computed.refused ?? (bdRate === undefined ? jointRefusal(rate === undefined) : undefined),
  };
}

/** Returns the reason why two ladders without a flaw have no BD-rate. */
function jointRefusal(isApart: boolean): Refused {
  const code = isApart ? "NO_OVERLAP" : "OUT_OF_RANGE";
  return { code, ladder: undefined, points: 0, needed: 0, between: undefined };
}

function deltaOf(outcome: Outcome | undefined) {
  return outcome !== undefined && "delta" in outcome ? outcome.delta : undefined;
}

function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

/** The means over the clips of each ladder, metric, method and scale. */
function averagesOf(results: readonly Result[]): readonly Average[] {
  const subjects = Map.groupBy(results, ({ ladder, metric, method, scale }) =>
    JSON.stringify([metric.name, ladder, method, scale]),
  );
  return [...subjects.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const { ladder, metric, method, scale } = first;
    const good = all.filter(({ refused }) => refused === undefined);
    return {
      ...{ ladder, metric, method, scale },
      bdRate: meanOf(good.map((result) => result.bdRate)),
      bdQuality: meanOf(good.map((result) => result.bdQuality)),
      clips: good.length,
      refused: all.length - good.length,
    };
  });
}

/** Returns the mean; undefined if a value is undefined or there are no values. */
function meanOf(values: readonly (number | undefined)[]): number | undefined {
  if (values.length === 0) return undefined;
  return finite(values.reduce<number>((sum, value) => sum + (value ?? Number.NaN), 0) / values.length);
}
