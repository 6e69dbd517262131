/** An outcome as the messages that report it. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type EncodedRows, encodeRows } from "../engine/frame-code.ts";
import type { PlannedPair, SegmentScored, Still } from "../engine/work.ts";
import { Still_Side } from "../gen/proto/svc/v1/job_pb.ts";
import type { ReportResultRequestSchema } from "../gen/proto/svc/v1/node_pb.ts";
import { Failure } from "../platform/failure.ts";
import { isCutFault, type Outcome } from "./perform.ts";

export type Report = NonNullable<MessageInitShape<typeof ReportResultRequestSchema>["report"]>;

/** Bytes of a piece of rows; with the message around it under 900 KiB. */
const MAX_PIECE_BYTES = 896 * 1024;
/** Characters of a failure's sentence, and of its facts as JSON: enough for every one of ours. */
const MAX_SENTENCE = 4096;
const MAX_FACTS = 16_384;

export const HAND_BACK: Report = { case: "handBack", value: {} };

/** The messages of an outcome in their order; the last one completes it. Throws Failure when it cannot be told. */
export function* reportsOf(outcome: Exclude<Outcome, { kind: "STOPPED" }>): Generator<Report> {
  switch (outcome.kind) {
    case "PLANNED":
      yield planReport(outcome.planned);
      break;
    case "SCORED":
      yield* segmentReports(outcome.scored);
      break;
    case "DRAWN":
      yield* stillReports(outcome.stills);
      break;
    case "FAILED":
      yield failureReport(outcome.failure);
  }
}

export function failureReport(failure: Failure): Report {
  const found = failure.found === undefined ? "" : JSON.stringify(failure.found);
  return {
    case: "failure",
    value: {
      code: failure.code,
      message: failure.message.slice(0, MAX_SENTENCE).toWellFormed(),
      found: found.length > MAX_FACTS ? "" : found,
      cutFault: isCutFault(failure),
    },
  };
}

function planReport({ plan, segments, frameCount, pixels, models }: PlannedPair): Report {
  return {
    case: "plan",
    value: {
      plan,
      segments: segments.map(({ first, count, segment }) => ({
        firstFrame: first,
        frameCount: count,
        segment,
      })),
      frameCount,
      pixels,
      models: models.map(({ name, digest }) => ({ name, digest })),
    },
  };
}

function* stillReports(stills: readonly Still[]): Generator<Report> {
  for (const [index, { side, ...still }] of stills.entries()) {
    const told = side === "reference" ? Still_Side.REFERENCE : Still_Side.DISTORTED;
    const last = index === stills.length - 1;
    yield { case: "still", value: { ...still, image: new Uint8Array(still.image), side: told, last } };
  }
}

/** Encodes a piece when it is asked for, so that a film's values are never held twice. */
function* segmentReports({ table, durationMs, plan, frameCount }: SegmentScored): Generator<Report> {
  let number = 0;
  let held: EncodedRows | undefined;
  for (const rows of encodeRows(table, MAX_PIECE_BYTES)) {
    if (held !== undefined) yield { case: "piece", value: { number: number++, ...held } };
    held = rows;
  }
  if (held === undefined) throw new Failure("SCORER_FAILED", "The scorer gave no frame of the segment.");
  const last = { number, ...held };
  yield {
    case: "segment",
    value: { last, durationMs, ...(plan !== undefined && { plan, frameCount: frameCount ?? 0 }) },
  };
}
