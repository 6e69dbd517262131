/** Fetches a key set from its endpoint, which may be slow, broken or hostile. */

import { isLoopback } from "../../platform/net/loopback.ts";

/** Time limit of a whole fetch in milliseconds, from connecting to the last byte. */
const LIMIT_MS = 5_000;
/** Largest response in bytes. A key takes about 400. */
const MAX_BYTES = 1024 * 1024;

/** Why a fetch failed; a label value of the metrics. */
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

/** Why an endpoint must not be fetched from; undefined if it may. Plain http needs a loopback host or `allowHttp`. */
export function endpointFault(endpoint: string, allowHttp: boolean): string | undefined {
  const url = URL.parse(endpoint);
  if (url === null) return "it is not a URL";
  if (url.username !== "" || url.password !== "") return "it contains a user name or password";
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return "it is neither an https nor an http URL";
  if (allowHttp || isLoopback(url.hostname)) return undefined;
  return "it is plain http to another machine, so anyone on the path could replace the keys";
}

export interface FetchOptions {
  readonly endpoint: string;
  readonly allowHttp: boolean;
  /** Aborts the fetch. */
  readonly signal: AbortSignal;
}

/** Returns the body of the response. Throws FetchError, at the latest after the time limit. */
export async function fetchKeys({ endpoint, allowHttp, signal }: FetchOptions): Promise<Uint8Array> {
  const reason = endpointFault(endpoint, allowHttp);
  if (reason !== undefined) throw new FetchError("refused", `was not fetched because ${reason}`);
  const late = AbortSignal.timeout(LIMIT_MS);
  try {
    const answer = await fetch(endpoint, {
      // A redirect would let the endpoint choose who supplies the keys.
      redirect: "manual",
      headers: { accept: "application/jwk-set+json, application/json", "accept-encoding": "identity" },
      signal: AbortSignal.any([signal, late]),
    });
    return await bodyOf(answer);
  } catch (cause) {
    if (cause instanceof FetchError) throw cause;
    if (late.aborted)
      throw new FetchError("timeout", `did not respond within ${LIMIT_MS / 1000} s`, { cause });
    if (signal.aborted) throw new FetchError("ended", "fetch was aborted", { cause });
    throw new FetchError("unreachable", "cannot be reached, or closed the connection early", { cause });
  }
}

async function bodyOf(answer: Response): Promise<Uint8Array> {
  try {
    if (answer.status >= 300 && answer.status < 400)
      throw new FetchError("redirect", "responded with a redirect, which is not followed");
    if (answer.status !== 200) throw new FetchError("status", `responded with status ${answer.status}`);
    return await limited(answer);
  } finally {
    // An unread body would keep its connection open.
    if (answer.body !== null && !answer.body.locked) await answer.body.cancel();
  }
}

async function limited(answer: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new FetchError("too_large", `sent more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
