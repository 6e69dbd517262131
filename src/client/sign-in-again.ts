/** What becomes of a session later: it is renewed by its refresh token, and in the end revoked. */
import { Failure } from "../platform/failure.ts";
import { discover, grantOf } from "./sign-in.ts";
import { providerFailure } from "./sign-in-failure.ts";
import type { Session } from "./token-session.ts";

/**
 * The session with new tokens. The refresh token may be good only once: the result is to be kept before
 * anything else. Throws LOGIN_REQUIRED when the provider does not renew it any more, SERVER_UNREACHABLE
 * when it may do so later.
 */
export async function renewed(session: Session): Promise<Session> {
  const { issuer, refreshToken } = session;
  if (refreshToken === undefined) throw over(session, "and the provider gave nothing to renew it with");
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
    `Your session for ${server} is over, ${why}. Sign in again: svc login --server ${server}`,
  );
}

/** Has the provider forget a session. False: it has no way to. Throws Failure. */
export async function revoke(session: Session, signal: AbortSignal): Promise<boolean> {
  const { issuer, accessToken, refreshToken } = session;
  try {
    const { oidc, config } = await discover(session, signal);
    if (config.serverMetadata().revocation_endpoint === undefined) return false;
    // With a refresh token go the access tokens that came of it, where they can be revoked (RFC 7009).
    const [token, hint] =
      refreshToken === undefined ? [accessToken, "access_token"] : [refreshToken, "refresh_token"];
    await oidc.tokenRevocation(config, token, { token_type_hint: hint });
    return true;
  } catch (thrown) {
    throw providerFailure(thrown, issuer, accessToken, refreshToken ?? accessToken);
  }
}
