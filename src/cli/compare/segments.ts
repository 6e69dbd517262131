/** Scores of the segments of renditions: computed from the scores of their frames, and printed. */
import { create } from "@bufbuild/protobuf";
import type { Connection } from "../../client/connection/connection.ts";
import type { Comparison, ComparisonCell } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { Job_State, JobService } from "../../gen/proto/svc/v1/job_pb.ts";
import { ScoredSpanSchema } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { scoredRate } from "../../jobs/frame-rate.ts";
import { FIRST_METRIC } from "../../jobs/scores/metric-names.ts";
import type { Series } from "../../jobs/scores/moments.ts";
import {
  firstFrames,
  type ScoredSpan,
  type StreamSegment,
  scoreSpans,
  segmentsOf,
  worstSpans,
} from "../../jobs/scores/spans.ts";
import { segmentStarts } from "../../titles/segment-starts.ts";
import { chartSeries } from "../jobs/result.ts";
import { spanText } from "../score/span-lines.ts";
import { exact } from "../terminal/numbers.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import type { Pair } from "./pairs.ts";
import type { TitlePart } from "./titles.ts";

/** The files of a result and the frames that were compared. */
type Compared = Parameters<typeof scoredRate>[0] & { readonly alignment?: object | undefined };

/**
 * Returns the segments of a rendition with their scores by the first model. Returns none for other videos, if the files
 * state no frame rate, or if only some frames were compared, because their numbers differ.
 */
export function scoredSegments(
  part: TitlePart | undefined,
  frames: Series,
  compared: Compared,
): ScoredSpan[] {
  const rate = compared.alignment === undefined ? scoredRate(compared) : undefined;
  const starts = part && segmentStarts(part.rendition);
  if (starts === undefined || rate === undefined) return [];
  return scoreSpans(firstFrames(starts, rate), frames, FIRST_METRIC);
}

/**
 * Adds the segments of uploaded renditions, which the controller does not know, to a comparison on it. `pairs`: what
 * was submitted, in the order of its cells.
 */
export async function withSegments(
  connection: Connection,
  comparison: Comparison,
  pairs: readonly Pair[],
  signal: AbortSignal,
): Promise<Comparison> {
  const isUploaded = pairs.some(({ part }) => part !== undefined);
  if (!isUploaded) return comparison;
  const cells = comparison.cells.map(async (cell, index) => {
    const part = pairs[index]?.part;
    if (part === undefined || cell.state !== Job_State.SUCCEEDED) return cell;
    const { job } = await connection.call(JobService.method.getJob, { id: cell.jobId }, { signal });
    const frames = await chartSeries(connection, cell.jobId, signal);
    const segments = scoredSegments(part, frames, job?.result ?? {});
    return { ...cell, segments: segments.map((segment) => create(ScoredSpanSchema, segment)) };
  });
  return { ...comparison, cells: await Promise.all(cells) };
}

/** Returns a table of the worst segments of all encodes; nothing if no segments are known. */
export function segmentLines(
  cells: readonly ComparisonCell[],
  nameOf: (cell: ComparisonCell) => string,
  terminal: Terminal,
): readonly string[] {
  const all = segmentsOf(cells);
  if (all.length === 0) return [];
  const worst = worstSpans(all);
  return [
    paint(terminal, "bold", `The worst ${worst.length} of ${all.length} segments`),
    ...tableLines(worst, columnsOf(nameOf), terminal, { heading: true }),
    "",
  ];
}

const NUMBER = { align: "right", atLeast: 0 } as const;

function columnsOf(
  nameOf: (cell: ComparisonCell) => string,
): readonly TableColumn<StreamSegment<ComparisonCell>>[] {
  return [
    { heading: "ENCODE", atLeast: 0, text: ({ cell }) => nameOf(cell) },
    { heading: "SEGMENT", ...NUMBER, text: ({ number }) => String(number) },
    { ...{ heading: "FRAMES", ...NUMBER, dispensable: 2 }, text: spanText },
    { heading: "MEAN", ...NUMBER, text: ({ mean }) => exact(mean) },
    { heading: "WORST", ...NUMBER, dispensable: 1, text: ({ min }) => exact(min) },
    { heading: "AT FRAME", atLeast: 0, dispensable: 1, text: ({ worstFrame }) => String(worstFrame) },
  ];
}
