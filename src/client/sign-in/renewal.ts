/** Renews a session by its refresh token, and revokes it. */
import { Failure } from "../../platform/failure.ts";
import type { Session } from "../session/session.ts";
import { providerFailure } from "./failure.ts";
import { discover, grantOf } from "./provider.ts";

/**
 * Returns the session with new tokens. The refresh token may be valid only once: save the result before anything else.
 * Throws LOGIN_REQUIRED if the provider no longer renews it, SERVER_UNREACHABLE if it may do so later.
 */
export async function renewed(session: Session): Promise<Session> {
  const { issuer, refreshToken } = session;
  if (refreshToken === undefined) throw over(session, "and the provider issued no refresh token");
  try {
    const { oidc, config } = await discover(session);
    const askedMs = Date.now();
    const grant = grantOf(await oidc.refreshTokenGrant(config, refreshToken), askedMs);
    return { ...session, refreshToken, expiresMs: undefined, ...grant };
  } catch (thrown) {
    const failure = providerFailure(thrown, issuer, refreshToken);
    if (failure.code === "SERVER_UNREACHABLE") {
      const todo = "Try again, or give a token with --token-file.";
      throw new Failure(failure.code, `Your session could not be renewed. ${failure.message} ${todo}`);
    }
    throw over(session, `and was not renewed: ${failure.message.replace(/\.$/, "")}`);
  }
}

function over({ server }: Session, why: string): Failure {
  return new Failure(
    "LOGIN_REQUIRED",
    `Your session for ${server} has expired, ${why}. Sign in again: svc login --server ${server}`,
  );
}

/** Revokes a session at the provider. Returns false if the provider has no revocation endpoint. Throws Failure. */
export async function revoke(session: Session, signal: AbortSignal): Promise<boolean> {
  const { issuer, accessToken, refreshToken } = session;
  try {
    const { oidc, config } = await discover(session, signal);
    if (config.serverMetadata().revocation_endpoint === undefined) return false;
    // Revoking a refresh token also revokes the access tokens from it, if the provider can (RFC 7009).
    const [token, hint] =
      refreshToken === undefined ? [accessToken, "access_token"] : [refreshToken, "refresh_token"];
    await oidc.tokenRevocation(config, token, { token_type_hint: hint });
    return true;
  } catch (thrown) {
    throw providerFailure(thrown, issuer, accessToken, refreshToken ?? accessToken);
  }
}
