/** The tables of a trend as CSV. */
import { type CsvColumn, csvTable } from "../../jobs/text/csv-row.ts";
import { type ClipDifference, differencesOf, type Trend } from "../trend-clips.ts";

type Release = Trend["releases"][number];

/** The names of the tables. */
export const TREND_TABLES = ["releases", "clips"] as const;
export type TrendTable = (typeof TREND_TABLES)[number];

export function trendCsv(table: TrendTable, trend: Trend): Generator<string> {
  return table === "clips" ? clipsCsv(trend) : releasesCsv(trend);
}

/** A line for each release, in their order. */
function releasesCsv({ metric, statistic, releases, delta }: Trend): Generator<string> {
  const columns: readonly CsvColumn<Release>[] = [
    ["release", ({ name }) => name],
    ["metric", () => metric],
    ["statistic", () => statistic],
    ["clips", ({ clips }) => clips],
    ["baseline", () => delta?.baseline],
    ["compared_clips", (release) => release.delta?.clips],
    ["difference", (release) => release.delta?.mean],
    ["half_width", (release) => release.delta?.halfWidth],
    ["lower_chance", (release) => release.delta?.lowerChance],
    ["higher_chance", (release) => release.delta?.higherChance],
    ["change", ({ change }) => change?.mean],
    ["change_half_width", ({ change }) => change?.halfWidth],
    ["change_clips", ({ change }) => change?.clips],
    ["scorers", ({ scorers }) => scorers.join("; ")],
  ];
  return csvTable(columns, releases);
}

/** A line for each clip of the two releases, the worst difference first. */
function clipsCsv(trend: Trend): Generator<string> {
  const { metric, statistic, delta } = trend;
  const columns: readonly CsvColumn<ClipDifference>[] = [
    ["clip", ({ clip }) => clip.name],
    ["metric", () => metric],
    ["statistic", () => statistic],
    ["baseline", () => delta?.baseline],
    ["candidate", () => delta?.candidate],
    ["baseline_score", ({ before }) => before?.score],
    ["candidate_score", ({ after }) => after?.score],
    ["difference", ({ difference }) => difference],
    ["baseline_job", ({ before }) => before?.jobId],
    ["candidate_job", ({ after }) => after?.jobId],
  ];
  return csvTable(columns, differencesOf(trend));
}
