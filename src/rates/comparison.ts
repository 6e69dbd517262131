/** Compares the ladders of a table of encodes with one of them: clip by clip, by every metric and method. */
import { aomBdRate, MIN_REMAINING } from "./aom-ctc.ts";
import {
  bdRateOf,
  bdScoreOf,
  type Fitted,
  INTERPOLATORS,
  type Interpolation,
  type Outcome,
} from "./bd-rate.ts";
import { crossings } from "./difference-curves.ts";
import { type Hull, hullsOf } from "./ladder-hulls.ts";
import {
  type Encode,
  type Flaw,
  type GivenPoint,
  MIN_POINTS,
  type RatePoint,
  type Refusal,
  upright,
} from "./points.ts";
import type { Quality } from "./quality.ts";
import { type Scale, Side } from "./side.ts";

const INTERPOLATIONS = ["pchip", "akima", "cubic"] as const satisfies readonly Interpolation[];
/** The ways to compute a BD-rate, as responses name them. */
export const METHODS = [...INTERPOLATIONS, "aom-ctc"] as const;
export type Method = (typeof METHODS)[number];

export type Code = Refusal | "AT_MAXIMUM" | "OUT_OF_RANGE";

/** Why there is no BD-rate. */
export interface Refused {
  readonly code: Code;
  /** The ladder with the flaw; undefined if the flaw is not in a single ladder. */
  readonly ladder: string | undefined;
  /** Points of this ladder, and how many are needed. */
  readonly points: number;
  readonly needed: number;
  /** How many encodes the hull was chosen from that these points are on; undefined: all encodes are points. */
  readonly encodes: number | undefined;
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
  /** Where the curves cross, computed when read; only of "pchip" on the linear scale. */
  readonly crossings: readonly RatePoint[];
  /** Points that the method left out. */
  readonly dropped: number;
  /** Encodes of both ladders that are no points, because they are not on the hulls. */
  readonly offHull: number;
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
  /** The curves that are hulls of encodes of several picture sizes, with what is left out. */
  readonly hulls: readonly Hull[];
}

/** Ladders and clips in the order of the table. */
export function compareLadders(
  encodes: readonly Encode[],
  metrics: readonly Quality[],
  anchor: string,
): Comparison {
  const hulls = hullsOf(encodes, metrics);
  const byPlace = Map.groupBy(encodes, keyOf);
  const clips = [...new Set(encodes.map(({ clip }) => clip))];
  const others = [...new Set(encodes.map(({ ladder }) => ladder))].filter((ladder) => ladder !== anchor);
  const results = metrics.flatMap((metric, index) => {
    const own = new Map(hulls.flatMap((hull) => (hull.metric === metric ? [[keyOf(hull), hull]] : [])));
    const sideOf = (ladder: string, clip: string) => {
      const key = keyOf({ ladder, clip });
      return new Side({ given: byPlace.get(key) ?? [], hull: own.get(key) }, metric, index);
    };
    const anchors = clips.map((clip) => ({ clip, side: sideOf(anchor, clip) }));
    return others.flatMap((ladder) =>
      anchors.flatMap(({ clip, side }) => {
        const sides = { anchor: side, test: sideOf(ladder, clip) };
        const isEmpty = sides.anchor.given.length + sides.test.given.length === 0;
        return isEmpty ? [] : resultsOf({ ladder, clip, metric, anchor }, sides);
      }),
    );
  });
  return { anchor, metrics, results, averages: averagesOf(results), hulls };
}

function keyOf({ ladder, clip }: Pick<Encode, "ladder" | "clip">): string {
  return JSON.stringify([ladder, clip]);
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
  const flawOf = (ladder: string, side: Side, { flaw }: Fitted<GivenPoint>) =>
    flawed(
      { ladder, points: side.points(scale), encodes: side.hull && side.given.length },
      flaw,
      needed,
      scale,
    );
  const refused = flawOf(pair.anchor, sides.anchor, one) ?? flawOf(pair.ladder, sides.test, other);
  if (refused !== undefined) return resultOf(pair, sides, method, scale, { refused });
  const [rate, score] = [bdRateOf(one, other), bdScoreOf(one, other)];
  const isCrossed = method === "pchip" && scale === "linear";
  return resultOf(pair, sides, method, scale, { rate, score, ...(isCrossed && { crossed: [one, other] }) });
}

function aomResult(pair: Pair, sides: Sides): Result {
  const [one, other] = [sides.anchor.aom, sides.test.aom];
  const dropped = one.dropped + other.dropped;
  const refused = aomFlaw(pair.anchor, sides.anchor) ?? aomFlaw(pair.ladder, sides.test);
  const rate = refused === undefined ? aomBdRate(one, other) : undefined;
  return resultOf(pair, sides, "aom-ctc", "linear", { rate, refused, dropped });
}

function aomFlaw(ladder: string, { given, hull, aom: { flaw, dropped } }: Side): Refused | undefined {
  if (hull !== undefined && given.length >= MIN_POINTS) {
    const on = given.slice(0, hull.on.length);
    return flawed({ ladder, points: on, encodes: given.length }, flaw, MIN_REMAINING, "linear");
  }
  const needed = dropped === 0 ? MIN_POINTS : MIN_REMAINING;
  return flawed({ ladder, points: given.slice(dropped), encodes: undefined }, flaw, needed, "linear");
}

interface Flawed extends Pick<Refused, "ladder" | "encodes"> {
  readonly points: readonly GivenPoint[];
}

function flawed(
  { ladder, points, encodes }: Flawed,
  flaw: Flaw<GivenPoint> | undefined,
  needed: number,
  scale: Scale,
): Refused | undefined {
  if (flaw === undefined) return undefined;
  const isScaled = flaw.refusal === "NO_SCORE" && scale === "log";
  // Here the score itself is a number, and only its logarithm is not.
  const code = isScaled && points.every(({ given }) => Number.isFinite(given)) ? "AT_MAXIMUM" : flaw.refusal;
  return { code, ladder, points: points.length, needed, encodes, between: flaw.between };
}

interface Computed {
  readonly rate?: Outcome | undefined;
  readonly score?: Outcome | undefined;
  readonly refused?: Refused | undefined;
  readonly dropped?: number;
  /** The anchor's curve and the other one, if their crossings are of interest. */
  readonly crossed?: readonly [Fitted, Fitted];
}

function resultOf(pair: Pair, sides: Sides, method: Method, scale: Scale, computed: Computed): Result {
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
      return computed.crossed === undefined
        ? []
        : upright(crossingPoints(...computed.crossed), metric.isLower);
    },
    dropped: computed.dropped ?? 0,
    offHull: (sides.anchor.hull?.off.length ?? 0) + (sides.test.hull?.off.length ?? 0),
    refused: computed.refused ?? (bdRate === undefined ? jointRefusal(rate === undefined) : undefined),
  };
}

function crossingPoints(anchor: Fitted, test: Fitted): readonly RatePoint[] {
  return crossings(anchor, test).map((score) => ({ rate: 10 ** anchor.rate.curve().at(score), score }));
}

/** Returns the reason why two ladders without a flaw have no BD-rate. */
function jointRefusal(isApart: boolean): Refused {
  const code = isApart ? "NO_OVERLAP" : "OUT_OF_RANGE";
  return { code, ladder: undefined, points: 0, needed: 0, encodes: undefined, between: undefined };
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
