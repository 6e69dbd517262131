/** Sends spans to a collector by OTLP over HTTP. The collector may be slow, broken or hostile. */
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";

/** Milliseconds from connecting to the response. */
const LIMIT_MS = 10_000;
/** Status codes after which the same spans may be accepted later (OTLP, "Retryable Response Codes"). */
const LATER = new Set([429, 502, 503, 504]);

/** The collector did not accept spans. */
export class CollectorError extends Error {
  override readonly name = "CollectorError";
  /** Whether the same spans may be accepted later. */
  readonly later: boolean;

  constructor(later: boolean, message: string, options?: ErrorOptions) {
    super(message, options);
    this.later = later;
  }
}

export interface CollectorOptions {
  /** The URL to which spans are posted. */
  readonly url: string;
  /** Sent with every request. They may contain credentials and go nowhere else. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Resolves when the collector accepted the spans. Throws CollectorError, at the latest after 10 s. */
export async function sendSpans(
  { url, headers }: CollectorOptions,
  spans: readonly ReadableSpan[],
  signal: AbortSignal,
): Promise<void> {
  const body = ProtobufTraceSerializer.serializeRequest([...spans]);
  if (body === undefined) throw new CollectorError(false, "the spans cannot be encoded");
  const late = AbortSignal.timeout(LIMIT_MS);
  let answer: Response;
  try {
    answer = await fetch(url, {
      method: "POST",
      // A redirect would send the headers elsewhere.
      redirect: "manual",
      headers: { ...headers, "content-type": "application/x-protobuf" },
      body: new Uint8Array(body),
      signal: AbortSignal.any([signal, late]),
    });
  } catch (cause) {
    const why = late.aborted ? `did not answer within ${LIMIT_MS / 1000} s` : "cannot be reached";
    throw new CollectorError(true, `the collector ${why}`, { cause });
  }
  // The body is not read; the status says whether the spans were accepted.
  await answer.body?.cancel().catch(() => {});
  const { status } = answer;
  if (status >= 200 && status < 300) return;
  throw new CollectorError(LATER.has(status), `the collector answered with status ${status}`);
}
