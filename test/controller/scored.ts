/**
 * Reports of a node that does not score: plans of invented tracks, cut by the engine's own rules, and scores in the
 * engine's own encoding that depend only on the frame number.
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { ScorerInfo } from "../../src/engine/contract/result.ts";
import { encodeRows } from "../../src/engine/frames/codec.ts";
import { FrameTable } from "../../src/engine/frames/frame-table.ts";
import { pair } from "../../src/engine/planning/compare.ts";
import { cut, wholeSegment } from "../../src/engine/planning/cut.ts";
import { writePlan } from "../../src/engine/planning/plan-json.ts";
import { readSegment, writeSegment } from "../../src/engine/planning/segment-json.ts";
import type {
  FailureReportSchema,
  FramePieceSchema,
  SegmentReportSchema,
} from "../../src/gen/proto/svc/v1/node_pb.ts";
import { model } from "../unit/engine/model-fixture.ts";
import { times, track } from "../unit/engine/track-fixture.ts";

export const SCORER = { program: "ffmpeg", version: "n7.0", libvmafVersion: "3.0.0" } as const;
const MODEL = { name: "vmaf_v0.6.1", digest: "" } as const;
export const CAPABILITIES = {
  scorer: SCORER as { program: string; version: string; libvmafVersion: string },
  models: [MODEL] as { name: string; digest: string }[],
  version: "0.1.0",
};
export const METRICS = ["vmaf", "psnr_y"];
const FILE = { size: 1000, modifiedMs: 0 };
const PIXELS = 1280 * 720;
const PIECE_BYTES = 900 * 1024;

/** Score of a metric of a frame, with six decimals. */
export function valueAt(metric: string, frame: number): number {
  return Number((60 + ((frame * 7919) % 40_000) / 1000 + (metric === "vmaf" ? 0.000001 : 0)).toFixed(6));
}

/** Mean of the model over all frames, to the digits of a result. */
export function scoreOf(frames: number): number {
  let sum = 0;
  for (let frame = 0; frame < frames; frame++) sum += valueAt("vmaf", frame);
  return sum / frames;
}

/** A PlanReport. */
interface PlanInit {
  readonly plan: string;
  readonly segments: { readonly firstFrame: number; readonly frameCount: number; readonly segment: string }[];
  readonly frameCount: number;
  readonly pixels: number;
  readonly models: { readonly name: string; readonly digest: string }[];
}

/** A plan for this number of frames, in segments of about `length`; undefined: whole. */
export function planReport(frames: number, length?: number, scorer: ScorerInfo = SCORER): PlanInit {
  const request = pairRequest({ reference: "r", distorted: "d" });
  const of = (side: "reference" | "distorted") => track(side, { frames, times: times(frames, 25, 5) });
  const tracks = { reference: of("reference"), distorted: of("distorted") };
  const pairing = pair(tracks.reference, tracks.distorted, request);
  const { segments } = cut(tracks, pairing, { length, subsample: 1, lookBehind: 1 });
  const models = [model(MODEL.name)];
  const plan = { request, tracks, pairing, models, segments, whole: undefined };
  return {
    plan: writePlan(plan, { reference: FILE, distorted: FILE }, scorer),
    segments: segments.map((segment) => ({
      firstFrame: segment.first,
      frameCount: segment.count,
      segment: writeSegment(segment),
    })),
    frameCount: frames,
    pixels: PIXELS,
    models: [MODEL],
  };
}

/** The scores of a segment and its context; of all `frames` if there is no segment. */
export function tableOf(segment: string, frames: number, value = valueAt): FrameTable {
  const { first, count, before, after } =
    segment === "" ? wholeSegment({ frameCount: frames }) : readSegment(segment);
  const table = new FrameTable(METRICS);
  for (let row = 0; row < before + count + after; row++) {
    table.append(
      row,
      METRICS.map((metric) => value(metric, first - before + row)),
    );
  }
  return table;
}

/** The chunks of a table, at least one row each. */
export function piecesOf(
  table: FrameTable,
  maxBytes = PIECE_BYTES,
): MessageInitShape<typeof FramePieceSchema>[] {
  return [...encodeRows(table, maxBytes)].map(({ rows, rowCount }, number) => ({
    number,
    rows: new Uint8Array(rows),
    rowCount,
  }));
}

/** A segment scored with one chunk. */
export function segmentReport(
  segment: string,
  frames: number,
  value = valueAt,
  found: Pick<MessageInitShape<typeof SegmentReportSchema>, "findings" | "shots"> = {},
): MessageInitShape<typeof SegmentReportSchema> {
  const [last] = piecesOf(tableOf(segment, frames, value));
  return { last: last as MessageInitShape<typeof FramePieceSchema>, durationMs: 12.5, ...found };
}

export function failureReport(
  code: string,
  over: MessageInitShape<typeof FailureReportSchema> = {},
): MessageInitShape<typeof FailureReportSchema> {
  return { code, message: `It is ${code}.`, found: '{"fact":1}', ...over };
}
