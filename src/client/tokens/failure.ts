/** Turns the error of a token request into a Failure without secrets and tokens. */

import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";

/** Limit of the characters that are quoted from a provider's error. */
const MAX_QUOTED = 200;

export interface Refusal {
  readonly status: number;
  /** Error code of RFC 6749, such as "invalid_client". */
  readonly error: string;
  readonly error_description?: string | undefined;
}

/** Returns whether the provider refused the client's credentials. */
export function refusesClient(thrown: unknown): boolean {
  return isRefusal(thrown) && thrown.error === "invalid_client";
}

/** Returns TOKEN_MISSING if the provider refuses, SERVER_UNREACHABLE if it may answer later. */
export function requestFailure(thrown: unknown, url: URL, secret: string): Failure {
  if (thrown instanceof Failure) return thrown;
  // Without the cause: it contains the response, which a log would show.
  const provider = `The identity provider of --oidc-token-url (${url.origin}${url.pathname})`;
  if (!isRefusal(thrown)) {
    return new Failure("SERVER_UNREACHABLE", `${provider} issued no token: ${reasonOf(thrown)}.`);
  }
  const reason = describedBy(thrown, secret);
  if (thrown.status === 429 || thrown.status >= 500) {
    return new Failure("SERVER_UNREACHABLE", `${provider} cannot issue a token now: ${reason}.`);
  }
  const todo = refusesClient(thrown)
    ? " Check --oidc-client-id, and the secret in --oidc-client-secret-file."
    : "";
  return new Failure("TOKEN_MISSING", `${provider} refused to issue a token: ${reason}.${todo}`);
}

export function isRefusal(thrown: unknown): thrown is Refusal {
  return thrown instanceof Error && thrown.name === "ResponseBodyError";
}

/** Quotes a provider's error, shortened. A part that contains one of the secrets is left out. */
export function describedBy(
  { status, error, error_description: description }: Refusal,
  ...secrets: readonly string[]
): string {
  const words = [error, description].filter(
    (text) => typeof text === "string" && !secrets.some((secret) => text.includes(secret)),
  );
  const reason = words
    .join(", ")
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, MAX_QUOTED);
  return reason === "" ? `status ${status}` : reason;
}

const REASONS: Readonly<Record<string, string>> = {
  OAUTH_TIMEOUT: "it did not answer in time",
  OAUTH_ABORT: "the request was cancelled",
  OAUTH_RESPONSE_IS_NOT_JSON: "its response was not JSON",
  OAUTH_PARSE_ERROR: "its response was not valid JSON",
  OAUTH_INVALID_RESPONSE: "its response was not a token",
  OAUTH_UNSUPPORTED_OPERATION: "it issued another type of token",
};

/**
 * Returns the reason. For a failed connection it is in the innermost error. Other messages are not repeated: they might
 * quote the response.
 */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "the request failed";
  const { cause } = thrown;
  const code = errorCode(thrown) ?? "";
  if (code in REASONS) return REASONS[code] ?? "";
  if (cause instanceof Response) return `it answered with status ${cause.status}`;
  if (cause instanceof Error && cause.message !== "") return cause.message;
  if (cause instanceof AggregateError) return cause.errors.map((one) => String(one?.message)).join(", ");
  return thrown.message;
}
