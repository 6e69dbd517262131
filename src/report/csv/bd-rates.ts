/** BD-rates against the anchor as CSV: clip by clip, and averaged over clips. */
import { type CsvColumn, csvTable } from "../../jobs/text/csv-row.ts";

/** What is compared, and by how much it differs. */
interface BdRate {
  readonly ladder: string;
  readonly anchor: string;
  readonly metric: string;
  readonly method: string;
  readonly scale: string;
  /** Percent. */
  readonly bdRate?: number | undefined;
  /** Points of the metric; on the scale log, decibels. */
  readonly bdQuality?: number | undefined;
}

export interface ClipBdRate extends BdRate {
  readonly clip: string;
  readonly overlap?: number | undefined;
  readonly rateOverlap?: number | undefined;
  /** Points that the method left out. */
  readonly dropped: number;
  /** Encodes of both ladders that are not points, because they are not on the convex hulls. */
  readonly offHull: number;
  readonly crossings: readonly { readonly score: number }[];
  readonly refusal?: { readonly code: string; readonly message: string } | undefined;
}

export interface AverageBdRate extends BdRate {
  readonly clips: number;
  readonly refused: number;
}

const VALUES: readonly CsvColumn<BdRate>[] = [
  ["anchor", ({ anchor }) => anchor],
  ["metric", ({ metric }) => metric],
  ["method", ({ method }) => method],
  ["scale", ({ scale }) => scale],
  ["bd_rate", ({ bdRate }) => bdRate],
  ["bd_quality", ({ bdQuality }) => bdQuality],
];

const CLIPS: readonly CsvColumn<ClipBdRate>[] = [
  ["ladder", ({ ladder }) => ladder],
  ["clip", ({ clip }) => clip],
  ...VALUES,
  ["overlap", ({ overlap }) => overlap],
  ["rate_overlap", ({ rateOverlap }) => rateOverlap],
  ["dropped", ({ dropped }) => dropped],
  ["off_hull", ({ offHull }) => offHull],
  ["crossings", ({ crossings }) => crossings.map(({ score }) => score).join(" ")],
  ["refusal", ({ refusal }) => refusal?.code],
  ["reason", ({ refusal }) => refusal?.message],
];

const AVERAGES: readonly CsvColumn<AverageBdRate>[] = [
  ["ladder", ({ ladder }) => ladder],
  ...VALUES,
  ["clips", ({ clips }) => clips],
  ["refused", ({ refused }) => refused],
];

/** Returns a line for each ladder, clip, metric, method and scale. */
export function bdRatesCsv(rates: Iterable<ClipBdRate>): Generator<string> {
  return csvTable(CLIPS, rates);
}

/** Returns a line for each ladder, metric, method and scale. */
export function averagesCsv(averages: Iterable<AverageBdRate>): Generator<string> {
  return csvTable(AVERAGES, averages);
}
