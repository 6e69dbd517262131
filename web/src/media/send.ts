/** Sends a file to the controller by the protocol tus. */
import type { DetailedError } from "tus-js-client";
import { type Credentials, fetchRaw, type Schemas } from "../api/client.ts";
import { errorOf, unreachable } from "../api/problem.ts";

const MIB = 2 ** 20;
/** Bytes of one request; it must arrive within the controller's --request-timeout. */
const CHUNK_BYTES = 8 * MIB;
/** Milliseconds before each retry. The count begins again with every byte that arrives. */
const RETRY_DELAYS = [0, 1_000, 2_000, 5_000, 10_000, 10_000, 10_000];

export interface Sending {
  readonly credentials: Credentials;
  readonly signal: AbortSignal;
  /** Called with the number of bytes that the controller has. */
  readonly onProgress: (bytes: number) => void;
}

/**
 * Returns the path by which jobs name the file. An upload of the same unchanged file from this browser is continued.
 * Throws ApiError. Never settles once the signal has aborted.
 */
export async function sendFile(file: File, sending: Sending): Promise<string> {
  const url = await send(file, sending);
  const answer = await fetchRaw(sending.credentials, new URL(url, location.origin).pathname);
  return ((await answer.json()) as Schemas["Upload"]).path;
}

async function send(file: File, { credentials, signal, onProgress }: Sending): Promise<string> {
  const { Upload } = await import("tus-js-client");
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let token: string | undefined;
  const upload = new Upload(file, {
    endpoint: `${location.origin}/v1/uploads`,
    chunkSize: CHUNK_BYTES,
    retryDelays: RETRY_DELAYS,
    metadata: { filename: file.name },
    onBeforeRequest: async (request) => {
      token = await credentials.token();
      if (token !== undefined) request.setHeader("authorization", `Bearer ${token}`);
    },
    onAfterResponse: (_request, response) => {
      if (response.getStatus() === 401 && token !== undefined) credentials.refused(token);
    },
    onShouldRetry: (error) => mayPass(statusOf(error)),
    onChunkComplete: (_size, bytes) => onProgress(bytes),
    onSuccess: () => resolve(upload.url ?? ""),
    onError: (error) => reject(failureOf(error)),
  });
  const [previous] = await upload.findPreviousUploads();
  if (previous !== undefined) upload.resumeFromPreviousUpload(previous);
  if (signal.aborted) return promise;
  signal.addEventListener("abort", () => void upload.abort());
  upload.start();
  return promise;
}

/** Whether a request with this status may succeed later. 401: with the next token; 409: from another offset. */
function mayPass(status: number): boolean {
  return status === 0 || status === 401 || status === 409 || status >= 500;
}

/** 0 if there was no response. */
function statusOf(error: Error): number {
  return responseOf(error)?.getStatus() ?? 0;
}

function failureOf(error: Error): Error {
  const response = responseOf(error);
  return response ? errorOf(response.getStatus(), jsonIn(response.getBody())) : unreachable();
}

function responseOf(error: Error): DetailedError["originalResponse"] | undefined {
  return "originalResponse" in error ? (error as DetailedError).originalResponse : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
