/** Converts comparisons of the store to protocol messages. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Comparison,
  type ComparisonCellSchema,
  ComparisonSchema,
} from "../../gen/proto/svc/v1/comparison_pb.ts";
import { Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import type { PooledSchema, ScoredSpanSchema } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { isComponent } from "../../jobs/feature-names.ts";
import { withTables } from "../../messages/comparison.ts";
import { gateMessage } from "../../messages/gate.ts";
import { isObject } from "../../platform/json.ts";
import type {
  CellCounts,
  CellRow,
  ComparisonDetail,
  ComparisonRow,
  ListedComparison,
} from "../../store/contract/comparison-records.ts";
import { readSpec } from "../requests/job-spec.ts";
import { errorMessage, mediaMessage } from "./job.ts";

/**
 * Limit of the segments of all cells in one response, at some 100 bytes each: a title of four hours in
 * segments of two seconds has 36,000 in five renditions.
 */
const MOST_SEGMENTS = 50_000;

/** Converts a comparison of a list, without cells and tables. */
export function listedComparison(listed: ListedComparison): Comparison {
  return create(ComparisonSchema, comparisonInit(listed, listed));
}

/** Converts a comparison with its cells, and the tables of those that are scored. */
export function comparisonMessage({ comparison, cells }: ComparisonDetail): Comparison {
  const init = comparisonInit(comparison, countsOf(cells));
  const segments = cells.map(({ job }) => segmentInits(job?.streamSegments));
  const count = segments.reduce((sum, { length }) => sum + length, 0);
  const listed = cells.map((cell, index) =>
    cellInit(cell, count > MOST_SEGMENTS ? undefined : segments[index]),
  );
  return withTables(create(ComparisonSchema, { ...init, cells: listed }));
}

function comparisonInit(
  { id, tenant, name, settings, anchor, groupBy, submittedBy, createdAt }: ComparisonRow,
  { cells, queued, running, succeeded, failed, cancelled, deleted, framesDone, framesTotal }: CellCounts,
) {
  return {
    ...{ id, tenantId: tenant, name, settings: readSpec(settings), anchor, submittedBy },
    groupBy: [...groupBy],
    createTime: timestampFromDate(createdAt),
    progress: {
      ...{ cells, queued, running, succeeded, failed, cancelled, deleted },
      ...{ framesDone, framesTotal },
    },
  };
}

function countsOf(cells: readonly CellRow[]): CellCounts {
  const jobs = cells.flatMap(({ job }) => job ?? []);
  const byState = Map.groupBy(jobs, ({ state }) => state);
  const planned = jobs.filter(({ framesTotal }) => framesTotal !== undefined);
  return {
    cells: cells.length,
    queued: byState.get("QUEUED")?.length ?? 0,
    running: byState.get("RUNNING")?.length ?? 0,
    succeeded: byState.get("SUCCEEDED")?.length ?? 0,
    failed: byState.get("FAILED")?.length ?? 0,
    cancelled: byState.get("CANCELLED")?.length ?? 0,
    deleted: cells.length - jobs.length,
    framesDone: planned.reduce((sum, { framesDone }) => sum + framesDone, 0),
    framesTotal: planned.reduce((sum, { framesTotal = 0 }) => sum + framesTotal, 0),
  };
}

const DELETED = {
  code: "JOB_NOT_FOUND",
  message: "The job of the cell was deleted, with its scores. Run the cell again.",
};

type SegmentInit = MessageInitShape<typeof ScoredSpanSchema>;

function cellInit(
  { job, ...cell }: CellRow,
  segments: SegmentInit[] = [],
): MessageInitShape<typeof ComparisonCellSchema> {
  if (job === undefined) return { ...cell, error: DELETED };
  const { state, error, media, scorer, pooled, gates } = job;
  return {
    ...cell,
    state: Job_State[state],
    ...(error && { error: errorMessage(error) }),
    ...(media && { media: mediaMessage(media) }),
    ...(scorer && { scorer }),
    ...(pooled !== undefined && { pooled: pooledInit(pooled) }),
    segments,
    gates: gates.map(gateMessage),
  };
}

function segmentInits(json: unknown): SegmentInit[] {
  return Array.isArray(json) ? json.map(numbersIn) : [];
}

function pooledInit(json: unknown): Record<string, MessageInitShape<typeof PooledSchema>> {
  const metrics = Object.entries(isObject(json) ? json : {}).filter(([metric]) => !isComponent(metric));
  return Object.fromEntries(metrics.map(([metric, values]) => [metric, numbersIn(values)]));
}

/** Returns the numbers of a proto JSON object, which omits zeros and writes numbers that are not finite as text. */
export function numbersIn(json: unknown): Readonly<Record<string, number>> {
  const numbers = Object.entries(isObject(json) ? json : {});
  return Object.fromEntries(numbers.map(([name, value]) => [name, Number(value)]));
}
