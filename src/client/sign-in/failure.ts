/** Turns the error of a sign-in or renewal into a Failure without tokens and codes. */

import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { describedBy, isRefusal, type Refusal, reasonOf } from "../tokens/failure.ts";

/** What to do about a refusal, by its error code (RFC 6749, 8628). */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_client: "Check --client-id. It must be a public client, without a secret.",
  unauthorized_client: "Enable this sign-in flow for the client at the provider.",
  invalid_scope: "Check --scope.",
};

/**
 * Returns SERVER_UNREACHABLE if the provider may answer later, INVALID_REQUEST if the issuer is not a provider,
 * LOGIN_FAILED if it refuses or its response can't be trusted. The message never contains `secrets`.
 */
export function providerFailure(thrown: unknown, issuer: string, ...secrets: readonly string[]): Failure {
  if (thrown instanceof Failure) return thrown;
  // Without the cause: it contains the response, which a log would show.
  const provider = `The identity provider ${issuer}`;
  if (isRefusal(thrown) || isAuthorizationRefusal(thrown)) return refusal(thrown, provider, secrets);
  const code = errorCode(thrown) ?? "";
  const other = describedByIssuer(thrown);
  if (other !== undefined) {
    return new Failure("INVALID_REQUEST", `${provider} calls itself ${other}. Give that as --issuer.`);
  }
  if (code === "OAUTH_RESPONSE_IS_NOT_CONFORM" && isGone(thrown)) {
    return new Failure(
      "INVALID_REQUEST",
      `--issuer: ${issuer} is not an identity provider: ${reasonOf(thrown)}.`,
    );
  }
  if (PASSING.includes(code) || !code.startsWith("OAUTH_")) {
    return new Failure("SERVER_UNREACHABLE", `${provider} is unavailable: ${reasonOf(thrown)}.`);
  }
  return new Failure("LOGIN_FAILED", `${provider} gave an invalid response: ${reasonOf(thrown)}.`);
}

/** Codes of openid-client for a missing response. */
const PASSING: readonly string[] = ["OAUTH_TIMEOUT", "OAUTH_ABORT", "OAUTH_RESPONSE_IS_NOT_CONFORM"];

function refusal(thrown: Refusal, provider: string, secrets: readonly string[]): Failure {
  const reason = describedBy(thrown, ...secrets);
  if (thrown.status === 429 || thrown.status >= 500) {
    return new Failure("SERVER_UNREACHABLE", `${provider} cannot answer now: ${reason}.`);
  }
  const advice = ADVICE[thrown.error];
  return new Failure(
    "LOGIN_FAILED",
    `${provider} refused: ${reason}.${advice === undefined ? "" : ` ${advice}`}`,
  );
}

/** Returns whether it is the error of a redirect (RFC 6749, section 4.1.2.1), which has the same fields. */
function isAuthorizationRefusal(thrown: unknown): thrown is Refusal {
  return thrown instanceof Error && thrown.name === "AuthorizationResponseError";
}

/** Returns whether discovery got a redirect or a client error: there is no provider, and a retry won't help. */
function isGone(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof Response && cause.status >= 300 && cause.status < 500 && cause.status !== 429;
}

/** Returns the issuer in a provider's metadata, if it differs from the requested one. */
function describedByIssuer(thrown: unknown): string | undefined {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  if (typeof cause !== "object" || cause === null || !("attribute" in cause) || cause.attribute !== "issuer")
    return undefined;
  const body = "body" in cause ? cause.body : undefined;
  if (typeof body !== "object" || body === null || !("issuer" in body)) return undefined;
  return JSON.stringify(String(body.issuer).slice(0, 200));
}
