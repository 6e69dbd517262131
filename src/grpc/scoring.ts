/** svc.v1.ScoringService over gRPC. The handlers call the scoring service. */
import { create } from "@bufbuild/protobuf";
import type { handleServerStreamingCall, handleUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import {
  type DiagnoseRequest,
  type DiagnoseResponse,
  DiagnoseResponseSchema,
  FrameBatchSchema,
  FrameScoreSchema,
  type ScoreRequest,
  type ScoreResponse,
  ScoreResponseSchema,
  type ScoreStreamResponse,
  ScoreStreamResponseSchema,
  ScoringService as ScoringServiceDescriptor,
} from "../gen/proto/svc/v1/scoring_pb.ts";
import { diagnosisMessage } from "../messages/findings.ts";
import {
  frameBatches,
  frameBytes,
  type Progress,
  progressMessage,
  resultMessage,
  type ScoreResult,
} from "../messages/result.ts";
import { Failure } from "../platform/failure.ts";
import type { CallContext, ScoringService } from "../scoring/service.ts";
import { answerOnce, answerStream, send } from "./call.ts";
import type { ServedService } from "./server.ts";

/** Bytes. gRPC clients accept 4 MiB by default; 64 KiB of that are for everything but the frames. */
const MAX_UNARY_FRAMES_BYTES = 4 * 1024 * 1024 - 64 * 1024;
const MAX_BATCH_BYTES = 512 * 1024;
/** A frame has at least its number and the score "vmaf". */
const MIN_FRAME_BYTES = 24;
/** Milliseconds between two progress messages: four a second look smooth and cost nothing. */
const PROGRESS_EVERY_MS = 250;

export function scoringService(service: ScoringService): ServedService {
  const score: handleUnaryCall<ScoreRequest, ScoreResponse> = (call, callback) =>
    answerOnce(call, callback, (context) => scoreOnce(service, call.request, context));
  const scoreStream: handleServerStreamingCall<ScoreRequest, ScoreStreamResponse> = (call) =>
    answerStream(call, (context) => scoreStreamed(service, call, context));
  const diagnose: handleUnaryCall<DiagnoseRequest, DiagnoseResponse> = (call, callback) =>
    answerOnce(call, callback, async (context) => {
      const diagnosis = diagnosisMessage(await service.diagnose(call.request, context));
      return create(DiagnoseResponseSchema, { diagnosis });
    });
  return { descriptor: ScoringServiceDescriptor, handlers: { score, scoreStream, diagnose } };
}

async function scoreOnce(service: ScoringService, request: ScoreRequest, context: CallContext) {
  if (!request.frames) {
    return create(ScoreResponseSchema, { result: resultMessage(await service.score(request, context)) });
  }
  const result = await scoreWithin(service, request, context);
  checkSize(result.frames.length * frameBytes(result.frames.metrics));
  const message = resultMessage(result);
  for (const row of result.frames.rows()) message.frames.push(create(FrameScoreSchema, row));
  return create(ScoreResponseSchema, { result: message });
}

/** Aborts a score whose frames cannot fit as soon as their number is known, instead of after hours of work. */
async function scoreWithin(
  service: ScoringService,
  request: ScoreRequest,
  context: CallContext,
): Promise<ScoreResult> {
  const tooLarge = new AbortController();
  const onProgress = ({ framesTotal }: Progress) => {
    if (framesTotal * MIN_FRAME_BYTES > MAX_UNARY_FRAMES_BYTES) tooLarge.abort();
  };
  const signal = AbortSignal.any([context.signal, tooLarge.signal]);
  try {
    return await service.score(request, { ...context, signal, onProgress });
  } catch (thrown) {
    if (tooLarge.signal.aborted && !context.signal.aborted) checkSize(Number.POSITIVE_INFINITY);
    throw thrown;
  }
}

function checkSize(bytes: number): void {
  if (bytes <= MAX_UNARY_FRAMES_BYTES) return;
  throw new Failure(
    "RESPONSE_TOO_LARGE",
    "The per-frame scores do not fit into one gRPC message of 4 MiB. Call ScoreStream, which sends them in batches.",
  );
}

type Stream = ServerWritableStream<ScoreRequest, ScoreStreamResponse>;

async function scoreStreamed(service: ScoringService, call: Stream, context: CallContext): Promise<void> {
  const sendEvent = (event: ScoreStreamResponse["event"]) =>
    send(call, create(ScoreStreamResponseSchema, { event }), context.signal);
  const result = await service.score(call.request, { ...context, onProgress: progressTo(call) });
  if (call.request.frames) {
    for (const frames of frameBatches(result.frames, MAX_BATCH_BYTES)) {
      await sendEvent({ case: "frames", value: create(FrameBatchSchema, { frames }) });
    }
  }
  await sendEvent({ case: "result", value: resultMessage(result) });
}

/** Sends progress at intervals, and always the first and the last state. A client that does not read misses some. */
function progressTo(call: Stream): (progress: Progress) => void {
  let next = 0;
  return (progress) => {
    const last = progress.framesDone === progress.framesTotal;
    if ((performance.now() < next && !last) || call.writableNeedDrain) return;
    next = performance.now() + PROGRESS_EVERY_MS;
    call.write(
      create(ScoreStreamResponseSchema, { event: { case: "progress", value: progressMessage(progress) } }),
    );
  };
}
