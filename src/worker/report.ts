/** Converts an outcome to report messages. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Diagnosis } from "../engine/contract/diagnosis.ts";
import { type Finding, MAX_FINDINGS, MAX_FIX_RUNS } from "../engine/contract/finding.ts";
import type { Clip, PlannedPair, SegmentScored, Still } from "../engine/contract/work.ts";
import { type EncodedRows, encodeRows } from "../engine/frames/codec.ts";
import { joinFindings } from "../engine/results/findings.ts";
import { Still_Side } from "../gen/proto/svc/v1/job_pb.ts";
import type { ReportResultRequestSchema } from "../gen/proto/svc/v1/node_pb.ts";
import { CLIP_PIECE_BYTES } from "../jobs/clips.ts";
import { diagnosisMessage, findingMessage } from "../messages/findings.ts";
import { Failure } from "../platform/failure.ts";
import { isSegmentMismatch, type Outcome } from "./perform.ts";

export type Report = NonNullable<MessageInitShape<typeof ReportResultRequestSchema>["report"]>;

/** Maximum bytes of a chunk of rows. */
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
    case "FILMED":
      yield* clipReports(outcome.clip);
      break;
    case "DIAGNOSED":
      yield { case: "diagnosis", value: diagnosisMessage(withShortFixes(outcome.diagnosis)) };
      break;
    case "LISTED":
      yield { case: "title", value: { renditions: [...outcome.renditions] } };
      break;
    case "FAILED":
      yield failureReport(outcome.failure);
  }
}

export function failureReport(failure: Failure): Report {
  return {
    case: "failure",
    value: {
      code: failure.code,
      message: failure.message.slice(0, MAX_SENTENCE).toWellFormed(),
      found: failure.found === undefined ? "" : factsText(failure.found),
      cutFault: isSegmentMismatch(failure),
    },
  };
}

/** Returns facts as JSON, without the largest of them if they are too long. */
function factsText(facts: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(facts);
  if (text.length <= MAX_FACTS) return text;
  const sizes = Object.entries(facts).map(
    ([name, value]) => [name, JSON.stringify(value)?.length ?? 0] as const,
  );
  const [largest] = sizes.toSorted(([, one], [, other]) => other - one);
  return factsText(Object.fromEntries(Object.entries(facts).filter(([name]) => name !== largest?.[0])));
}

function planReport(planned: PlannedPair): Report {
  const { plan, segments, frameCount, pixels, models, scoredBy = "", identities } = planned;
  return {
    case: "plan",
    value: {
      plan,
      segments: segments.map(({ first, count, segment, key = new Uint8Array() }) => ({
        firstFrame: first,
        frameCount: count,
        segment,
        key: new Uint8Array(key),
      })),
      frameCount,
      pixels,
      models: models.map(({ name, digest }) => ({ name, digest })),
      scoredBy,
      referenceIdentity: identities.reference ?? "",
      distortedIdentity: identities.distorted ?? "",
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

function* clipReports({ video, ...clip }: Clip): Generator<Report> {
  for (let number = 0; number * CLIP_PIECE_BYTES < video.length; number++) {
    const piece = video.slice(number * CLIP_PIECE_BYTES, (number + 1) * CLIP_PIECE_BYTES);
    yield { case: "clip", value: { ...clip, bytes: video.length, number, piece: new Uint8Array(piece) } };
  }
}

/** Encodes each chunk when it is requested, so that a film's scores are never held twice. */
function* segmentReports({
  table,
  durationMs,
  plan,
  frameCount,
  findings,
  shots,
  scoredBy = "",
}: SegmentScored): Generator<Report> {
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
    value: {
      last,
      durationMs,
      ...(plan !== undefined && { plan, frameCount: frameCount ?? 0 }),
      findings: joinFindings(undefined, [findings]).map(withShortFix).map(findingMessage),
      ...(shots && { shots: { ...shots, starts: [...shots.starts] } }),
      scoredBy,
    },
  };
}

/** Drops fixes of single findings that are too long. The fix of all findings is never shortened. */
function withShortFixes(diagnosis: Diagnosis): Diagnosis {
  return { ...diagnosis, findings: diagnosis.findings.slice(0, MAX_FINDINGS).map(withShortFix) };
}

/** Half a fix would repair nothing, so one that is too long is left out. */
function withShortFix({ fix, ...finding }: Finding): Finding {
  const isShort = (fix?.runs?.length ?? 0) <= MAX_FIX_RUNS;
  return { ...finding, ...(fix && isShort && { fix }) };
}
