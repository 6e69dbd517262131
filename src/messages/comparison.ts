/** Completes comparisons: derives the facts about ladders from the cells. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type ClipDeltaSchema,
  type Comparison,
  type ComparisonCell,
  ComparisonLadderSchema,
  ComparisonMetricSchema,
  type LadderDelta,
  LadderDeltaSchema,
} from "../gen/proto/svc/v1/comparison_pb.ts";
import { Job_State } from "../gen/proto/svc/v1/job_pb.ts";
import { isGrouping } from "../jobs/media/grouping.ts";
import { MIN_OVERLAP } from "../rates/bd-rate.ts";
import { type ComparedCells, compareCells } from "../rates/cells.ts";
import type { Average, Comparison as Compared, Result } from "../rates/comparison.ts";
import { reasonText } from "../rates/reasons.ts";

/** Compares the ladders of a comparison, as far as its cells are scored. */
export function comparedCells({ cells, anchor, groupBy }: Comparison): ComparedCells {
  return compareCells(cells.map(cellOf), anchor, groupBy.filter(isGrouping));
}

function cellOf({ reference, ladder, clip, media, state, pooled }: ComparisonCell) {
  const means = Object.fromEntries(Object.entries(pooled).map(([metric, { mean }]) => [metric, mean]));
  return {
    ...{ reference, ladder, clip, encoded: media, rate: media?.videoBitRate },
    means: state === Job_State.SUCCEEDED ? means : undefined,
  };
}

/** Returns the comparison with the ladders and clips of its cells, and with its tables. */
export function withTables(comparison: Comparison): Comparison {
  const { places, ladders, comparison: compared, offHull } = comparedCells(comparison);
  return {
    ...comparison,
    anchor: compared.anchor,
    cells: comparison.cells.map((cell, index) => ({
      ...cell,
      ...places[index],
      offHull: [...(offHull[index] ?? [])],
    })),
    ladders: ladders.map((ladder) => create(ComparisonLadderSchema, ladder)),
    metrics: compared.metrics.map(({ name, isLower, max }) =>
      create(ComparisonMetricSchema, { name, lowerIsBetter: isLower, ...(max !== undefined && { max }) }),
    ),
    deltas: deltasOf(compared),
  };
}

function deltasOf({ results, averages, anchor }: Compared): LadderDelta[] {
  const groups = Map.groupBy(results, keyOf);
  return averages.map((average) => {
    const { ladder, metric, method, scale, clips, refused } = average;
    const byClip = (groups.get(keyOf(average)) ?? []).map((result) => clipDelta(result, anchor));
    const subject = { ladder, metric: metric.name, method, scale };
    return create(LadderDeltaSchema, { ...subject, ...valuesOf(average), clips, refused, byClip });
  });
}

function keyOf({ ladder, metric, method, scale }: Average | Result): string {
  return JSON.stringify([ladder, metric.name, method, scale]);
}

function clipDelta(result: Result, anchor: string): MessageInitShape<typeof ClipDeltaSchema> {
  const { clip, overlap, rateOverlap, crossings, dropped, offHull, refused } = result;
  return {
    ...{ clip, dropped, offHull, crossings: [...crossings], ...valuesOf(result) },
    ...(overlap !== undefined && { overlap, lowOverlap: overlap < MIN_OVERLAP }),
    ...(rateOverlap !== undefined && { rateOverlap }),
    ...(refused && { refusal: { code: refused.code, message: reasonText(result, refused, anchor) } }),
  };
}

/** Omits missing values. */
function valuesOf({ bdRate, bdQuality }: Pick<Result, "bdRate" | "bdQuality">) {
  return {
    ...(bdRate !== undefined && { bdRate }),
    ...(bdQuality !== undefined && { bdQuality }),
  };
}
