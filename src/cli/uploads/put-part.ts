/** Sends a part to its signed URL. */
import { Readable } from "node:stream";
import type { Agent } from "undici";
import type { SignedPart } from "../../gen/proto/svc/v1/upload_pb.ts";
import { Failure, type FailureCode } from "../../platform/failure.ts";
import { quoteName } from "../terminal/escape.ts";

/** Milliseconds to connect, including TLS. */
const CONNECT_MS = 10_000;
/** Milliseconds without progress: a bucket accepts no bytes, or does not respond after the last one. */
const SILENCE_MS = 60_000;
/** Characters of a response that are read for its reason. */
const MAX_REASON = 4096;
/** Statuses of requests that were too slow or too many. */
const MAY_PASS: readonly number[] = [408, 429];

export interface PutOptions {
  /** The file, for messages. */
  readonly path: string;
  readonly agent: Agent;
  readonly signal: AbortSignal;
}

/** Opens connections. Destroy it after use. The library is loaded only here. */
export async function bucketAgent(connections: number): Promise<Agent> {
  const { Agent } = await import("undici");
  const limits = { headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS };
  return new Agent({ connections, connect: { timeout: CONNECT_MS }, ...limits });
}

/**
 * Throws UPLOAD_REFUSED if the bucket does not take the part, STORAGE_UNAVAILABLE if it cannot now, and the failure of
 * reading the bytes. No message contains the URL.
 */
export async function putPart(
  { number, url, headers }: SignedPart,
  bytes: AsyncIterable<Buffer>,
  { path, agent, signal }: PutOptions,
): Promise<void> {
  const { origin, pathname, search } = new URL(url);
  const body = Readable.from(bytes, { objectMode: false });
  const request = { origin, path: `${pathname}${search}`, method: "PUT", headers, body, signal } as const;
  const failed = (code: FailureCode, why: string, cause?: unknown) =>
    new Failure(
      code,
      `The bucket did not take part ${number} of ${quoteName(path)}: ${why}. Repeat the command to continue; if the error remains, ask the operator of the storage.`,
      { cause },
    );
  const response = await agent.request(request).catch((cause: unknown) => {
    if (cause instanceof Failure) throw cause;
    throw failed("STORAGE_UNAVAILABLE", "it cannot be reached, or closed the connection", cause);
  });
  const text = await response.body.text().catch(() => "");
  const { statusCode: status } = response;
  if (status >= 200 && status < 300) return;
  const code = /<Code>(\w{1,64})<\/Code>/.exec(text.slice(0, MAX_REASON))?.[1];
  const isRefusal = status >= 400 && status < 500 && !MAY_PASS.includes(status);
  const why = `it responded with status ${status}${code === undefined ? "" : ` (${code})`}`;
  throw failed(isRefusal ? "UPLOAD_REFUSED" : "STORAGE_UNAVAILABLE", why);
}
