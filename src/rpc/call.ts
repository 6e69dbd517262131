/** What a gRPC call tells the services: its id, its deadline, and when its caller has gone. */
import { randomUUID } from "node:crypto";
import { Metadata, type ServerUnaryCall, type ServerWritableStream } from "@grpc/grpc-js";
import type { CallContext } from "../scoring/service.ts";

const REQUEST_ID_KEY = "x-request-id";
const REQUEST_ID = /^[\w.:-]{1,128}$/;

type Call<Request, Response> = ServerUnaryCall<Request, Response> | ServerWritableStream<Request, Response>;

/** The context of a call. Sends the initial metadata, which echoes the request's id. */
export function contextOf<Request, Response>(call: Call<Request, Response>): CallContext {
  const requestId = requestIdOf(call.metadata);
  const echo = new Metadata();
  echo.set(REQUEST_ID_KEY, requestId);
  call.sendMetadata(echo);
  return { requestId, signal: cancelled(call), timeoutMs: timeLeft(call) };
}

function requestIdOf(metadata: Metadata): string {
  const [given] = metadata.get(REQUEST_ID_KEY);
  return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
}

function cancelled<Request, Response>(call: Call<Request, Response>): AbortSignal {
  const gone = new AbortController();
  call.once("cancelled", () => gone.abort());
  if (call.cancelled) gone.abort();
  return gone.signal;
}

/** Milliseconds to the caller's deadline; undefined when it has none. */
function timeLeft<Request, Response>(call: Call<Request, Response>): number | undefined {
  const deadline = Number(call.getDeadline());
  return Number.isFinite(deadline) ? deadline - Date.now() : undefined;
}
