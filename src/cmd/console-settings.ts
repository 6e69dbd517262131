/** The settings of the console: whether there is one, and where people sign in to it. */
import { isProviderUrl } from "../client/token-url.ts";
import { HELP_GROUPS } from "../platform/help-page.ts";
import { inGroup, type SettingValues, text, textOr, toggle, UsageError } from "../platform/setting.ts";
import type { ConsoleConfig } from "../rest/console.ts";

export const CONSOLE_SETTING = toggle({
  flags: "--console-disabled",
  help: "serve no console at /console",
});

export const CONSOLE_SETTINGS = inGroup(HELP_GROUPS.console, {
  consoleDisabled: CONSOLE_SETTING,
  consoleOidcIssuer: text({
    flags: "--console-oidc-issuer <url>",
    help: "identity provider where people sign in to the console, https unless its host is loopback",
    shownDefault: "nobody can sign in to the console of a controller that asks for tokens",
  }),
  consoleOidcClientId: text({
    flags: "--console-oidc-client-id <id>",
    help: "public client of that provider, which may be sent back to /console/ of this controller",
  }),
  consoleOidcScope: textOr({
    flags: "--console-oidc-scope <scope>",
    help: "scope that the console asks for, several with spaces between; offline_access keeps people signed in",
    fallback: "openid",
  }),
  consoleOidcAudience: text({
    flags: "--console-oidc-audience <audience>",
    help: "audience that the console asks for; Auth0 gives no usable token without",
    shownDefault: "none",
  }),
} as const);

export type ConsoleSettings = SettingValues<typeof CONSOLE_SETTINGS>;

/** How people are to sign in to a console whose controller asks for tokens. */
export function consoleSignIn({
  consoleOidcIssuer: issuer,
  consoleOidcClientId: clientId,
  consoleOidcScope: scope,
  consoleOidcAudience: audience = "",
}: ConsoleSettings): ConsoleConfig["authentication"] {
  if (issuer === undefined || clientId === undefined) return { kind: "unconfigured" };
  return { kind: "oidc", issuer, clientId, scope, audience };
}

/** Throws UsageError. */
export function checkConsoleSettings({ consoleOidcIssuer, consoleOidcClientId }: ConsoleSettings): void {
  if ((consoleOidcIssuer === undefined) !== (consoleOidcClientId === undefined))
    throw new UsageError(
      "--console-oidc-issuer and --console-oidc-client-id need each other: give both, or none.",
    );
  if (consoleOidcIssuer === undefined) return;
  if (!isProviderUrl(consoleOidcIssuer))
    throw new UsageError(
      `--console-oidc-issuer: ${JSON.stringify(consoleOidcIssuer)} is no https URL, nor an http one on loopback, without a user name or a #fragment.`,
    );
}
