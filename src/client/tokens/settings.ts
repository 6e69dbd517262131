/** Token settings of clients: the same flags and variables for nodes and commands. */

import { HELP_GROUPS } from "../../platform/config/help-page.ts";
import { flagsOf, inGroup, type SettingValues, text } from "../../platform/config/setting.ts";
import type { Failure } from "../../platform/failure.ts";
import { type ClientCredentials, tokenRequests } from "./client-credentials.ts";
import { RenewedToken } from "./renewal.ts";
import { type TokenSource, tokenFromFile } from "./token.ts";
import { isProviderUrl } from "./url.ts";

export const TOKEN_SETTINGS = inGroup(HELP_GROUPS.auth, {
  tokenFile: text({
    flags: "--token-file <file>",
    help: "file with the bearer token for the controller; read again for every call, so it may be replaced",
    shownDefault: "no token is sent",
  }),
  oidcTokenUrl: text({
    flags: "--oidc-token-url <url>",
    help: "token endpoint of an identity provider, to fetch and renew tokens by client credentials; https, or http on loopback",
  }),
  oidcClientId: text({
    flags: "--oidc-client-id <id>",
    help: "client id for the token requests",
  }),
  oidcClientSecretFile: text({
    flags: "--oidc-client-secret-file <file>",
    help: "file with the client secret; read again for every token request, so it may be replaced",
  }),
  oidcScope: text({
    flags: "--oidc-scope <scope>",
    help: "scopes to request, separated by spaces; some providers issue no token without",
  }),
  oidcAudience: text({
    flags: "--oidc-audience <audience>",
    help: "audience to request; Auth0 issues no token without",
  }),
} as const);

export type TokenSettings = SettingValues<typeof TOKEN_SETTINGS>;

/** Returns what is wrong with the settings, as a sentence that names them; undefined if nothing is. */
export function tokenSettingsFault(settings: Partial<TokenSettings>): string | undefined {
  const { tokenFile, oidcTokenUrl: url, oidcClientId, oidcClientSecretFile } = settings;
  const [given] = flagsOf({
    "--oidc-token-url": url,
    "--oidc-client-id": oidcClientId,
    "--oidc-client-secret-file": oidcClientSecretFile,
    "--oidc-scope": settings.oidcScope,
    "--oidc-audience": settings.oidcAudience,
  }).given;
  if (given === undefined) return undefined;
  if (tokenFile !== undefined) {
    return `--token-file and ${given} are two ways to get a token. Give only one.`;
  }
  if (url === undefined || oidcClientId === undefined || oidcClientSecretFile === undefined) {
    return `${given} needs --oidc-token-url, --oidc-client-id and --oidc-client-secret-file: give all three.`;
  }
  return isProviderUrl(url)
    ? undefined
    : "--oidc-token-url is not the URL of a token endpoint: https, or http on loopback, without a user name or a #fragment.";
}

/**
 * Returns the token source for settings without faults; undefined if they configure none. `onFailure` is called for
 * every failed request.
 */
export function openTokens(
  settings: Partial<TokenSettings>,
  onFailure?: (failure: Failure) => void,
): TokenSource | undefined {
  if (settings.tokenFile !== undefined) return tokenFromFile(settings.tokenFile);
  const client = clientOf(settings);
  if (client === undefined) return undefined;
  return new RenewedToken({ request: tokenRequests(client), ...(onFailure && { onFailure }) });
}

function clientOf(settings: Partial<TokenSettings>): ClientCredentials | undefined {
  const { oidcTokenUrl, oidcClientId: clientId, oidcClientSecretFile: clientSecretFile } = settings;
  if (oidcTokenUrl === undefined || clientId === undefined || clientSecretFile === undefined)
    return undefined;
  const { oidcScope: scope, oidcAudience: audience } = settings;
  return { tokenUrl: new URL(oidcTokenUrl), clientId, clientSecretFile, scope, audience };
}
