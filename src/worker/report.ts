/** Converts an outcome to report messages. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PlannedPair, SegmentScored, Still } from "../engine/contract/work.ts";
import { type EncodedRows, encodeRows } from "../engine/frames/codec.ts";
import { Still_Side } from "../gen/proto/svc/v1/job_pb.ts";
import type { ReportResultRequestSchema } from "../gen/proto/svc/v1/node_pb.ts";
import { Failure } from "../platform/failure.ts";
import { isSegmentMismatch, type Outcome } from "./perform.ts";

export type Report = NonNullable<MessageInitShape<typeof ReportResultRequestSchema>["report"]>;

/** Bytes of a chunk of rows; the complete message stays below 900 KiB. */
const MAX_CHUNK_BYTES = 896 * 1024;
/** Maximum characters of a failure's message and of its facts as JSON; every failure of svc fits. */
const MAX_SENTENCE = 4096;
const MAX_FACTS = 16_384;

export const HAND_BACK: Report = { case: "handBack", value: {} };

/** Returns the messages of an outcome in order; the last one completes it. Throws Failure if it cannot be reported. */
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
      cutFault: isSegmentMismatch(failure),
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
    const wireSide = side === "reference" ? Still_Side.REFERENCE : Still_Side.DISTORTED;
    const last = index === stills.length - 1;
    yield { case: "still", value: { ...still, image: new Uint8Array(still.image), side: wireSide, last } };
  }
}

/** Encodes each chunk when it is requested, so that a film's scores are never held twice. */
function* segmentReports({ table, durationMs, plan, frameCount }: SegmentScored): Generator<Report> {
  let number = 0;
  let held: EncodedRows | undefined;
  for (const rows of encodeRows(table, MAX_CHUNK_BYTES)) {
    if (held !== undefined) yield { case: "piece", value: { number: number++, ...held } };
    held = rows;
  }
  if (held === undefined) throw new Failure("SCORER_FAILED", "The scorer returned no frame of the segment.");
  const last = { number, ...held };
  yield {
    case: "segment",
    value: { last, durationMs, ...(plan !== undefined && { plan, frameCount: frameCount ?? 0 }) },
  };
}
