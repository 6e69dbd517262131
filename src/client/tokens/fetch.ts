/** Sends requests to an identity provider, with a limit on the size of the response. */
import type { CustomFetchOptions } from "openid-client";

const MAX_BYTES = 64 * 1024;

/**
 * Sends a request to a token endpoint. Throws what fetch throws, and an Error for a response that is too large. Follows
 * no redirects.
 */
export async function fetchAnswer(
  url: string,
  options: CustomFetchOptions,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetchBounded(url, options, signal);
  const { status, headers } = response;
  // A status without a body allows no text, not even an empty one.
  if (response.body === null) return response;
  return new Response(withoutIdToken(await response.text()), { status, headers });
}

/** Sends a request to any endpoint, with the errors and redirect rule of fetchAnswer. */
export async function fetchBounded(
  url: string,
  { method, headers, redirect, body, signal: limit }: CustomFetchOptions,
  signal: AbortSignal | undefined,
): Promise<Response> {
  // The library passes a form or nothing; its type allows more.
  if (body !== undefined && !(body instanceof URLSearchParams))
    throw new TypeError("the request is not a form");
  const signals = [signal, limit].filter((one) => one !== undefined);
  const response = await fetch(url, {
    method,
    headers,
    redirect,
    body: body ?? null,
    signal: AbortSignal.any(signals),
  });
  const text = await boundedText(response);
  // Removes the challenge header of a 401: without it, the library reports the error in the body, which is
  // more specific.
  const type = response.headers.get("content-type") ?? "";
  const empty = response.status === 204 || response.status === 205 || response.status === 304;
  return new Response(empty ? null : text, { status: response.status, headers: { "content-type": type } });
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_BYTES) throw new Error(`the response is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Removes the ID token that providers add for the scope "openid". It is not used, and the library would reject it: it
 * could be checked only against an issuer that the client doesn't know.
 */
function withoutIdToken(text: string): string {
  try {
    const { id_token: _, ...rest } = JSON.parse(text);
    return JSON.stringify(rest);
  } catch {
    return text;
  }
}
