/** Signs in with a browser on this machine: authorization code with PKCE (RFC 6749, 7636, 8252). */

import type { Grant, SignInOptions } from "../session/session.ts";
import { CallbackServer } from "./callback.ts";
import { providerFailure } from "./failure.ts";
import { asksFor, consentFor, grantOf, type Provider, requestParameters } from "./provider.ts";

export interface BrowserSignIn extends SignInOptions {
  /** Loopback port for the callback; 0: a free one. */
  readonly port: number;
  /** Called with the URL to open. */
  readonly onUrl: (url: string) => void;
  /** Called for a callback with the wrong state. The sign-in continues. */
  readonly onForged: () => void;
  /** Ends the wait; its reason is thrown. */
  readonly signal: AbortSignal;
}

/** Throws Failure, or the signal's reason. */
export async function signInByBrowser(provider: Provider, options: BrowserSignIn): Promise<Grant> {
  const { oidc, config, issuer } = provider;
  const { port, onForged, signal } = options;
  const [state, pkceCodeVerifier] = [oidc.randomState(), oidc.randomPKCECodeVerifier()];
  await using callback = await CallbackServer.listen({ port, state, onForged });
  const parameters = requestParameters(provider, options);
  const expectedNonce = asksFor(parameters, "openid") ? oidc.randomNonce() : undefined;
  try {
    const url = oidc.buildAuthorizationUrl(config, {
      ...parameters,
      ...consentFor(parameters),
      ...(expectedNonce !== undefined && { nonce: expectedNonce }),
      redirect_uri: callback.redirectUri,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      state,
    });
    options.onUrl(url.href);
  } catch (thrown) {
    throw providerFailure(thrown, issuer);
  }
  const answer = await callback.answer(signal);
  try {
    const checks = {
      pkceCodeVerifier,
      expectedState: state,
      ...(expectedNonce !== undefined && { expectedNonce }),
    };
    const askedMs = Date.now();
    const grant = grantOf(await oidc.authorizationCodeGrant(config, answer.url, checks), askedMs);
    await answer.show("signedIn");
    return grant;
  } catch (thrown) {
    await answer.show("failed");
    signal.throwIfAborted();
    throw providerFailure(thrown, issuer, pkceCodeVerifier, answer.url.searchParams.get("code") ?? state);
  }
}
