/** Why a sign-in, or its renewal, did not come to be, as a Failure that holds no token and no code. */
import { Failure } from "../platform/failure.ts";
import { errorCode } from "../platform/thrown.ts";
import { isRefusal, type Refusal, reasonOf, toldBy } from "./token-failure.ts";

/** What whoever runs the provider has to do about its refusals (RFC 6749, 8628). */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_client: "Check --client-id; the client must be a public one, without a secret.",
  unauthorized_client: "The client must be permitted this way of signing in at the provider.",
  invalid_scope: "Check --scope.",
};

/**
 * SERVER_UNREACHABLE when the provider may answer later, INVALID_REQUEST when the issuer names none,
 * LOGIN_FAILED when it refuses or answers what must not be trusted. `secrets` are not repeated.
 */
export function providerFailure(thrown: unknown, issuer: string, ...secrets: readonly string[]): Failure {
  if (thrown instanceof Failure) return thrown;
  // The cause is left out: it holds the answer, and a log would show it.
  const provider = `The identity provider ${issuer}`;
  if (isRefusal(thrown) || isAuthorizationRefusal(thrown)) return refusal(thrown, provider, secrets);
  const code = errorCode(thrown) ?? "";
  const other = issuerTold(thrown);
  if (other !== undefined) {
    return new Failure("INVALID_REQUEST", `${provider} calls itself ${other}. Give that as --issuer.`);
  }
  if (code === "OAUTH_RESPONSE_IS_NOT_CONFORM" && isGone(thrown)) {
    return new Failure("INVALID_REQUEST", `--issuer: ${provider} is none: ${reasonOf(thrown)}.`);
  }
  if (PASSING.includes(code) || !code.startsWith("OAUTH_")) {
    return new Failure("SERVER_UNREACHABLE", `${provider} cannot be asked: ${reasonOf(thrown)}.`);
  }
  return new Failure("LOGIN_FAILED", `${provider} gave an answer that is not taken: ${reasonOf(thrown)}.`);
}

/** Codes of openid-client for what is no answer. */
const PASSING: readonly string[] = ["OAUTH_TIMEOUT", "OAUTH_ABORT", "OAUTH_RESPONSE_IS_NOT_CONFORM"];

function refusal(thrown: Refusal, provider: string, secrets: readonly string[]): Failure {
  const told = toldBy(thrown, ...secrets);
  if (thrown.status === 429 || thrown.status >= 500) {
    return new Failure("SERVER_UNREACHABLE", `${provider} cannot answer now: ${told}.`);
  }
  const advice = ADVICE[thrown.error];
  return new Failure(
    "LOGIN_FAILED",
    `${provider} refuses: ${told}.${advice === undefined ? "" : ` ${advice}`}`,
  );
}

/** Of a redirect back to the client, RFC 6749, section 4.1.2.1; it has the same fields. */
function isAuthorizationRefusal(thrown: unknown): thrown is Refusal {
  return thrown instanceof Error && thrown.name === "AuthorizationResponseError";
}

/** A client error in answer to discovery: nothing of the kind is there, and will not be later. */
function isGone(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof Response && cause.status >= 300 && cause.status < 500 && cause.status !== 429;
}

/** The issuer that a provider's document names, where it is not the one that was asked. */
function issuerTold(thrown: unknown): string | undefined {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  if (typeof cause !== "object" || cause === null || !("attribute" in cause) || cause.attribute !== "issuer")
    return undefined;
  const body = "body" in cause ? cause.body : undefined;
  if (typeof body !== "object" || body === null || !("issuer" in body)) return undefined;
  return JSON.stringify(String(body.issuer).slice(0, 200));
}
