/** One request to a token endpoint, whose answer is bounded and holds no more than is needed. */
import type { CustomFetchOptions } from "openid-client";

const MAX_BYTES = 64 * 1024;

/** Throws what fetch throws, and an Error for an answer that is too large. Follows no redirects. */
export async function fetchAnswer(
  url: string,
  options: CustomFetchOptions,
  signal: AbortSignal,
): Promise<Response> {
  const signals = options.signal === undefined ? [signal] : [signal, options.signal];
  const { method, headers, redirect, body } = options;
  // The library gives a form; its type allows for more.
  if (!(body instanceof URLSearchParams)) throw new TypeError("the request is no form");
  const response = await fetch(url, { method, headers, redirect, body, signal: AbortSignal.any(signals) });
  const text = await boundedText(response);
  // Without the challenge of a 401 the library tells the body's error, which says more.
  const type = response.headers.get("content-type") ?? "";
  return new Response(withoutIdToken(text), { status: response.status, headers: { "content-type": type } });
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
