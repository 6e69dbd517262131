/** Fetches a key set from its endpoint, which may be slow, broken or hostile. */

import { isLoopback } from "../platform/loopback.ts";

/** Milliseconds for the whole of it, from the connection to the last byte, unless another limit is given. */
const LIMIT_MS = 5_000;
/** Bytes: a key takes about 400. */
const MOST_BYTES = 1024 * 1024;

/** Why a fetch failed; a label of the metrics. */
export type FetchFault =
  | "timeout"
  | "unreachable"
  | "redirect"
  | "status"
  | "too_large"
  | "refused"
  | "ended";

export class FetchError extends Error {
  override readonly name = "FetchError";
  readonly fault: FetchFault;

  constructor(fault: FetchFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Why an endpoint is not fetched from; undefined: it is. Plain http is for loopback, unless `allowHttp`. */
export function endpointFault(endpoint: string, allowHttp: boolean): string | undefined {
  const url = URL.parse(endpoint);
  if (url === null) return "it is not a URL";
  if (url.username !== "" || url.password !== "") return "it holds a user or a password";
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return "it is neither an https nor an http URL";
  if (allowHttp || isLoopback(url.hostname)) return undefined;
  return "it is plain http and not on this machine: whoever is between can put in keys of their own";
}

export interface FetchOptions {
  readonly endpoint: string;
  readonly allowHttp: boolean;
  /** Ends the fetch early. */
  readonly signal: AbortSignal;
  /** Milliseconds for the whole of it; default 5000. */
  readonly fetchLimitMs?: number | undefined;
}

/** The body of the endpoint's answer. Throws FetchError within the limit. */
export async function fetchKeys({
  endpoint,
  allowHttp,
  signal,
  fetchLimitMs = LIMIT_MS,
}: FetchOptions): Promise<Uint8Array> {
  const reason = endpointFault(endpoint, allowHttp);
  if (reason !== undefined) throw new FetchError("refused", `is not read, because ${reason}`);
  const late = AbortSignal.timeout(fetchLimitMs);
  try {
    const answer = await fetch(endpoint, {
      // A redirect would let the endpoint choose who gives the keys.
      redirect: "manual",
      headers: { accept: "application/jwk-set+json, application/json", "accept-encoding": "identity" },
      signal: AbortSignal.any([signal, late]),
    });
    return await bodyOf(answer);
  } catch (cause) {
    if (cause instanceof FetchError) throw cause;
    if (late.aborted)
      throw new FetchError("timeout", `did not answer within ${fetchLimitMs / 1000} s`, { cause });
    if (signal.aborted) throw new FetchError("ended", "was given up", { cause });
    throw new FetchError("unreachable", "cannot be reached, or broke off its answer", { cause });
  }
}

async function bodyOf(answer: Response): Promise<Uint8Array> {
  try {
    if (answer.status >= 300 && answer.status < 400)
      throw new FetchError("redirect", "redirects, which is not followed");
    if (answer.status !== 200) throw new FetchError("status", `answered with status ${answer.status}`);
    return await limited(answer);
  } finally {
    // What was not read to its end would hold its connection.
    if (answer.body !== null && !answer.body.locked) await answer.body.cancel();
  }
}

async function limited(answer: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new FetchError("too_large", `sent more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
