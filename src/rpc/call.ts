/** What a gRPC call tells the services: its id, its deadline, who calls, and when its caller has gone; and how it is answered. */
import {
  Metadata,
  type ServerUnaryCall,
  type ServerWritableStream,
  type StatusObject,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { Failure } from "../platform/failure.ts";
import { inside } from "../platform/span.ts";
import { UNREAD_LIMIT_MS } from "../platform/transport-limits.ts";
import { entryOf } from "./auditing.ts";
import { REQUEST_ID_KEY, requestIdOf } from "./request-id.ts";
import { statusOf } from "./status.ts";
import { endSpan, takeSpan } from "./tracing.ts";

export type Call<Request, Response> =
  | ServerUnaryCall<Request, Response>
  | ServerWritableStream<Request, Response>;

export interface Surroundings {
  readonly requestId: string;
  /** Aborts when the caller has gone or cancelled. */
  readonly signal: AbortSignal;
  /** Milliseconds to the caller's deadline; undefined when it has none. */
  readonly timeoutMs: number | undefined;
}

/** Answers a call once. The initial metadata goes with the answer, in one packet. */
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
  settled(call, work, surroundings)
    .then((response) => answer(null, response))
    .catch((thrown: unknown) => answer(failed(call, thrown)));
}

/** Answers a call with a stream, which `work` sends; it ends when `work` does. */
export function answerInParts<Request, Response>(
  call: ServerWritableStream<Request, Response>,
  work: (surroundings: Surroundings) => Promise<void>,
): void {
  const surroundings = surroundingsOf(call);
  sendInitial(call, surroundings);
  settled(call, work, surroundings)
    .then(() => call.end())
    .catch((thrown: unknown) => call.emit("error", failed(call, thrown)));
}

/** Writes a part of an answer; resolves when the client's window has taken it. Throws when it left or does not read. */
export async function send<Response>(
  call: ServerWritableStream<unknown, Response>,
  message: Response,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = () => reject(new Failure("SCORE_CANCELLED", "The caller ended the call."));
  const timer = setTimeout(() => {
    const limit = `${UNREAD_LIMIT_MS / 1000} s`;
    reject(new Failure("STREAM_TOO_SLOW", `A part of the answer was left unread for ${limit}. Call again.`));
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

/** The status of what a call ended with; the audit log is told its code, where the services did not say so yet. */
function failed<Request, Response>({ metadata }: Call<Request, Response>, thrown: unknown): StatusObject {
  entryOf(metadata)?.failed(Failure.from(thrown).code);
  return statusOf(thrown);
}

/** Works in the call's span. What is thrown at once is answered as what is thrown later. */
async function settled<Request, Response, Result>(
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

/** The initial metadata, which echoes the request's id. */
function sendInitial<Request, Response>(call: Call<Request, Response>, { requestId }: Surroundings): void {
  const echo = new Metadata();
  echo.set(REQUEST_ID_KEY, requestId);
  call.sendMetadata(echo);
}

/** Every call's signal aborts when it is over: a reason of its own, with its stack, would cost as much as the rest. */
const GONE = new Failure("SCORE_CANCELLED", "The caller has gone.");

function cancelled<Request, Response>(call: Call<Request, Response>): AbortSignal {
  const gone = new AbortController();
  call.once("cancelled", () => gone.abort(GONE));
  if (call.cancelled) gone.abort(GONE);
  return gone.signal;
}

function timeLeft<Request, Response>(call: Call<Request, Response>): number | undefined {
  const deadline = Number(call.getDeadline());
  return Number.isFinite(deadline) ? deadline - Date.now() : undefined;
}
