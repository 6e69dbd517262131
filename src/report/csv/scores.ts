/** The scores of a video, or of the encodes of a comparison, by metric as CSV. */
import { STATISTICS, type Statistic } from "../../jobs/gates/gate.ts";
import { type ScoredModel, usedModel } from "../../jobs/scored-models.ts";
import { type CsvColumn, csvTable } from "../../jobs/text/csv-row.ts";
import type { Comparison } from "../page.ts";

/** What results of the engine and of the API have in common. */
export interface Scores {
  readonly models: readonly (ScoredModel & {
    readonly score: number;
    /** Only in an estimate. */
    readonly interval?: { readonly low: number; readonly high: number } | undefined;
  })[];
  /** Means of the other metrics. */
  readonly features: Readonly<Record<string, number>>;
  /** Empty in an estimate. */
  readonly pooled: Readonly<Record<string, Values>>;
}

/**
 * Returns a line for each metric, the models first. An estimate has only means, and intervals of those of its models.
 */
export function scoresCsv({ models, features, pooled }: Scores): Generator<string> {
  const modelOf = (metric: string) => models.find((model) => model.metric === metric);
  const meanOf = (metric: string) => pooled[metric]?.mean ?? modelOf(metric)?.score ?? features[metric];
  const own = models.map(({ metric }) => metric);
  const columns: readonly CsvColumn<string>[] = [
    ["metric", (metric) => metric],
    ["model", (metric) => usedModel(modelOf(metric) ?? { model: "" })],
    ["mean", meanOf],
    ["low", (metric) => modelOf(metric)?.interval?.low],
    ["high", (metric) => modelOf(metric)?.interval?.high],
    ...statistics((metric: string) => pooled[metric]).filter(([name]) => name !== "mean"),
  ];
  return csvTable(columns, new Set([...own, ...Object.keys(pooled), ...Object.keys(features)]));
}

interface CellScore {
  readonly cell: NonNullable<Comparison["cells"]>[number];
  /** Undefined if the cell has no score. */
  readonly metric: string | undefined;
}

/** Returns a line for each cell and metric of a comparison, and one for each cell without a score. */
export function cellScoresCsv({ cells = [] }: Pick<Comparison, "cells">): Generator<string> {
  const columns: readonly CsvColumn<CellScore>[] = [
    ["cell", ({ cell }) => cell.number],
    ["ladder", ({ cell }) => cell.ladder],
    ["clip", ({ cell }) => cell.clip],
    ["reference", ({ cell }) => cell.reference],
    ["distorted", ({ cell }) => cell.distorted],
    ["job", ({ cell }) => cell.jobId],
    ["state", ({ cell }) => cell.state],
    ["error", ({ cell }) => cell.error?.code],
    ["reason", ({ cell }) => cell.error?.message],
    ["metric", ({ metric }) => metric],
    ...statistics(({ cell, metric = "" }: CellScore) => cell.pooled[metric]),
  ];
  const rows = cells.flatMap((cell): readonly CellScore[] => {
    const metrics = Object.keys(cell.pooled);
    return metrics.length === 0 ? [{ cell, metric: undefined }] : metrics.map((metric) => ({ cell, metric }));
  });
  return csvTable(columns, rows);
}

type Values = Readonly<Record<Statistic, number>>;

/** Returns a column for each statistic: "harmonicMean" is "harmonic_mean". */
function statistics<Row>(valuesOf: (row: Row) => Values | undefined): readonly CsvColumn<Row>[] {
  return STATISTICS.map((name) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    (row) => valuesOf(row)?.[name],
  ]);
}
