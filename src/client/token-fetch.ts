/** One request to an identity provider, whose answer is bounded. */
import type { CustomFetchOptions } from "openid-client";

const MAX_BYTES = 64 * 1024;

/** A request to a token endpoint. Throws what fetch throws, and an Error for an answer that is too large. Follows no redirects. */
export async function fetchAnswer(
  url: string,
  options: CustomFetchOptions,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetchBounded(url, options, signal);
  const { status, headers } = response;
  // A status without a body takes no text either, not even an empty one.
  if (response.body === null) return response;
  return new Response(withoutIdToken(await response.text()), { status, headers });
}

/** A request to any endpoint; throws and follows as fetchAnswer does. */
export async function fetchBounded(
  url: string,
  { method, headers, redirect, body, signal: limit }: CustomFetchOptions,
  signal: AbortSignal | undefined,
): Promise<Response> {
  // The library gives a form or nothing; its type allows for more.
  if (body !== undefined && !(body instanceof URLSearchParams)) throw new TypeError("the request is no form");
  const signals = [signal, limit].filter((one) => one !== undefined);
  const response = await fetch(url, {
    method,
    headers,
    redirect,
    body: body ?? null,
    signal: AbortSignal.any(signals),
  });
  const text = await boundedText(response);
  // Without the challenge of a 401 the library tells the body's error, which says more.
  const type = response.headers.get("content-type") ?? "";
  const empty = response.status === 204 || response.status === 205 || response.status === 304;
  return new Response(empty ? null : text, { status: response.status, headers: { "content-type": type } });
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_BYTES) throw new Error(`the answer is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Providers add an ID token where the scope holds "openid". It is sent to nobody, and the library would
 * refuse it, for it could be checked only against an issuer that a client need not know.
 */
function withoutIdToken(text: string): string {
  try {
    const { id_token: _, ...rest } = JSON.parse(text);
    return JSON.stringify(rest);
  } catch {
    return text;
  }
}
