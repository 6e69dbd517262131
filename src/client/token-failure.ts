/** Why an identity provider gave no token, as a Failure that holds neither secret nor token. */
import { Failure } from "../platform/failure.ts";
import { errorCode } from "../platform/thrown.ts";

/** Characters of a provider's own words that are told. */
const MAX_TOLD = 200;

export interface Refusal {
  readonly status: number;
  /** RFC 6749's code, such as "invalid_client". */
  readonly error: string;
  readonly error_description?: string | undefined;
}

/** Whether the provider does not know the client by what it was shown. */
export function refusesClient(thrown: unknown): boolean {
  return isRefusal(thrown) && thrown.error === "invalid_client";
}

/** TOKEN_MISSING when the provider refuses, SERVER_UNREACHABLE when it may answer later. */
export function requestFailure(thrown: unknown, url: URL, secret: string): Failure {
  if (thrown instanceof Failure) return thrown;
  // The cause is left out: it holds the answer, and a log would show it.
  const provider = `The identity provider of --oidc-token-url (${url.origin}${url.pathname})`;
  if (!isRefusal(thrown)) {
    return new Failure("SERVER_UNREACHABLE", `${provider} gave no token: ${reasonOf(thrown)}.`);
  }
  const told = toldBy(thrown, secret);
  if (thrown.status === 429 || thrown.status >= 500) {
    return new Failure("SERVER_UNREACHABLE", `${provider} cannot give a token now: ${told}.`);
  }
  const todo = refusesClient(thrown)
    ? " Check --oidc-client-id, and the secret in --oidc-client-secret-file."
    : "";
  return new Failure("TOKEN_MISSING", `${provider} refuses to give a token: ${told}.${todo}`);
}

export function isRefusal(thrown: unknown): thrown is Refusal {
  return thrown instanceof Error && thrown.name === "ResponseBodyError";
}

/** A provider's words are cut, and left out where they repeat one of the secrets. */
export function toldBy(
  { status, error, error_description: description }: Refusal,
  ...secrets: readonly string[]
): string {
  const words = [error, description].filter(
    (text) => typeof text === "string" && !secrets.some((secret) => text.includes(secret)),
  );
  const told = words
    .join(", ")
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, MAX_TOLD);
  return told === "" ? `status ${status}` : told;
}

const REASONS: Readonly<Record<string, string>> = {
  OAUTH_TIMEOUT: "it did not answer in time",
  OAUTH_ABORT: "the request was cancelled",
  OAUTH_RESPONSE_IS_NOT_JSON: "it answered something else than JSON",
  OAUTH_PARSE_ERROR: "it answered no valid JSON",
  OAUTH_INVALID_RESPONSE: "it answered something else than a token",
  OAUTH_UNSUPPORTED_OPERATION: "it answered with another type of token",
};

/** Of a failed connection the innermost error says why; no other message is repeated, for it might quote the answer. */
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
