/** A client of the service's gRPC interface: scores a pair and follows its progress. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import type { ScoreView, Series } from "../../src/cli/view.ts";
import type { Progress } from "../../src/engine/result.ts";
import {
  type FrameScore,
  type ScoreProgress,
  type ScoreRequest,
  ScoreRequestSchema,
  type ScoreResult,
  type ScoreStreamResponse,
  ScoreStreamResponseSchema,
} from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import type { Pair } from "./sample.ts";

const SCORE_STREAM = "/svc.v1.ScoringService/ScoreStream";
/** Milliseconds; the demo's pair takes some seconds. */
const DEADLINE_MS = 300_000;

/** Scores the pair at an address (HOST:PORT). Aborting ends the call, and with it the scorer. */
export async function scorePair(
  address: string,
  pair: Pair,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<ScoreView> {
  const client = new Client(address, credentials.createInsecure());
  try {
    return await received(client, pair, signal, onProgress);
  } finally {
    client.close();
  }
}

async function received(
  client: Client,
  pair: Pair,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<ScoreView> {
  const call = client.makeServerStreamRequest<ScoreRequest, ScoreStreamResponse>(
    SCORE_STREAM,
    (message) => Buffer.from(toBinary(ScoreRequestSchema, message)),
    (bytes) => fromBinary(ScoreStreamResponseSchema, bytes),
    create(ScoreRequestSchema, { ...pair, features: ["psnr"], frames: true }),
    { deadline: Date.now() + DEADLINE_MS },
  );
  const cancel = () => call.cancel();
  signal.addEventListener("abort", cancel);
  const frames: FrameScore[] = [];
  let result: ScoreResult | undefined;
  try {
    for await (const { event } of call as AsyncIterable<ScoreStreamResponse>) {
      if (event.case === "progress") onProgress(progressOf(event.value));
      if (event.case === "frames") frames.push(...event.value.frames);
      if (event.case === "result") result = event.value;
    }
  } catch (error) {
    throw new Error(`The service did not score the pair: ${detailsOf(error)}`, { cause: error });
  } finally {
    signal.removeEventListener("abort", cancel);
  }
  return viewOf(result, frames);
}

function progressOf({ framesDone, framesTotal, fps, secondsLeft }: ScoreProgress): Progress {
  return { framesDone, framesTotal, fps, secondsLeft };
}

function detailsOf(error: unknown): string {
  return (error as Partial<ServiceError>).details ?? String(error);
}

function viewOf(result: ScoreResult | undefined, frames: readonly FrameScore[]): ScoreView {
  const { reference, distorted, scorer } = result ?? {};
  if (!result || !reference || !distorted || !scorer)
    throw new Error("The service ended the score without a result.");
  return { ...result, reference, distorted, scorer, frames: seriesOf(frames) };
}

function seriesOf(frames: readonly FrameScore[]): Series {
  return {
    length: frames.length,
    metrics: Object.keys(frames[0]?.metrics ?? {}),
    frame: (row) => frames[row]?.frame ?? 0,
    value: (metric, row) => frames[row]?.metrics[metric],
  };
}
