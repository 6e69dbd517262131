/** The context that a gRPC call passes to the services (id, deadline, caller, cancellation), and its responses. */
import {
  Metadata,
  type ServerUnaryCall,
  type ServerWritableStream,
  type StatusObject,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { Failure } from "../platform/failure.ts";
import { UNREAD_LIMIT_MS } from "../platform/net/transport-limits.ts";
import { inside } from "../platform/observability/span.ts";
import { entryOf } from "./auditing.ts";
import { REQUEST_ID_KEY, requestIdOf } from "./request-id.ts";
import { statusOf } from "./status.ts";
import { endSpan, takeSpan } from "./tracing.ts";

export type Call<Request, Response> =
  | ServerUnaryCall<Request, Response>
  | ServerWritableStream<Request, Response>;

export interface Surroundings {
  readonly requestId: string;
  /** Aborts when the caller disconnects or cancels. */
  readonly signal: AbortSignal;
  /** Milliseconds until the caller's deadline; undefined if it has none. */
  readonly timeoutMs: number | undefined;
}

/** Answers a unary call. The initial metadata is sent with the response, in one packet. */
export function answerOnce<Request, Response>(
  call: ServerUnaryCall<Request, Response>,
  callback: sendUnaryData<Response>,
  work: (surroundings: Surroundings) => Promise<Response>,
): void {
  const surroundings = surroundingsOf(call);
  const answer: sendUnaryData<Response> = (error, response) => {
    sendInitial(call, surroundings);
    callback(error, response);
  };
  inCallSpan(call, work, surroundings)
    .then((response) => answer(null, response))
    .catch((thrown: unknown) => answer(failed(call, thrown)));
}

/** Answers a call with a stream that `work` sends. It ends when `work` does. */
export function answerStream<Request, Response>(
  call: ServerWritableStream<Request, Response>,
  work: (surroundings: Surroundings) => Promise<void>,
): void {
  const surroundings = surroundingsOf(call);
  sendInitial(call, surroundings);
  inCallSpan(call, work, surroundings)
    .then(() => call.end())
    .catch((thrown: unknown) => call.emit("error", failed(call, thrown)));
}

/**
 * Sends a message of a stream. Resolves when the client's window accepts it. Throws if the client left or does not
 * read.
 */
export async function send<Response>(
  call: ServerWritableStream<unknown, Response>,
  message: Response,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = () => reject(new Failure("SCORE_CANCELLED", "The caller ended the call."));
  const timer = setTimeout(() => {
    const limit = `${UNREAD_LIMIT_MS / 1000} s`;
    reject(new Failure("STREAM_TOO_SLOW", `Part of the response was not read for ${limit}. Call again.`));
  }, UNREAD_LIMIT_MS);
  signal.addEventListener("abort", leave);
  try {
    if (signal.aborted) leave();
    else call.write(message, () => resolve());
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
  }
}

/** Returns the status of a failed call. The audit entry gets the code, unless a service has set it. */
function failed<Request, Response>({ metadata }: Call<Request, Response>, thrown: unknown): StatusObject {
  entryOf(metadata)?.failed(Failure.from(thrown).code);
  return statusOf(thrown);
}

/** Runs `work` in the span of the call. Synchronous exceptions become rejections. */
async function inCallSpan<Request, Response, Result>(
  { metadata }: Call<Request, Response>,
  work: (surroundings: Surroundings) => Promise<Result>,
  surroundings: Surroundings,
): Promise<Result> {
  const span = takeSpan(metadata);
  try {
    const result = await inside(span, () => work(surroundings));
    endSpan(span, status.OK);
    return result;
  } catch (thrown) {
    endSpan(span, statusOf(thrown).code, Failure.from(thrown).code);
    throw thrown;
  }
}

function surroundingsOf<Request, Response>(call: Call<Request, Response>): Surroundings {
  const requestId = requestIdOf(call.metadata);
  return { requestId, signal: cancelled(call), timeoutMs: timeLeft(call) };
}

/** Sends the initial metadata, which echoes the request id. */
function sendInitial<Request, Response>(call: Call<Request, Response>, { requestId }: Surroundings): void {
  const echo = new Metadata();
  echo.set(REQUEST_ID_KEY, requestId);
  call.sendMetadata(echo);
}

/** The abort reason of all calls: creating one with its own stack for each call would cost as much as the rest. */
const GONE = new Failure("SCORE_CANCELLED", "The caller disconnected.");

function cancelled<Request, Response>(call: Call<Request, Response>): AbortSignal {
  const disconnected = new AbortController();
  call.once("cancelled", () => disconnected.abort(GONE));
  if (call.cancelled) disconnected.abort(GONE);
  return disconnected.signal;
}

function timeLeft<Request, Response>(call: Call<Request, Response>): number | undefined {
  const deadline = Number(call.getDeadline());
  return Number.isFinite(deadline) ? deadline - Date.now() : undefined;
}
