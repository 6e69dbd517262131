/** The settings of the console and of its sign-in. */
import { isProviderUrl } from "../../client/tokens/url.ts";
import { HELP_GROUPS } from "../../platform/config/help-page.ts";
import {
  inGroup,
  list,
  type Setting,
  type SettingValues,
  text,
  textOr,
  toggle,
  UsageError,
} from "../../platform/config/setting.ts";
import type { ConsoleConfig } from "../../rest/pages/console.ts";

export const CONSOLE_SETTING = toggle({
  flags: "--console-disabled",
  help: "do not serve the console at /console",
});

/** Matches origins that a Content-Security-Policy accepts, without characters that could end its directive. */
const ORIGIN = /^https?:\/\/(\*\.)?([a-z0-9_-]+\.)*[a-z0-9_-]+(:\d{1,5})?$/;

export const UPLOAD_ORIGINS: Setting<readonly string[]> = {
  ...list({
    flags: "--console-upload-origin <origin>",
    help: "origin of buckets to which the console may upload, such as https://*.s3.eu-central-1.amazonaws.com; can be repeated; separated by ',' in the variable",
    shownDefault: "none, the console uploads to the controller",
  }),
  separator: /,/,
  parse(given) {
    if (ORIGIN.test(given)) return [given];
    throw new Error(
      "is not an origin, such as https://bucket.example or https://*.example:9000, in lower case",
    );
  },
};

export const CONSOLE_SETTINGS = inGroup(HELP_GROUPS.console, {
  consoleDisabled: CONSOLE_SETTING,
  consoleUploadOrigin: UPLOAD_ORIGINS,
  consoleOidcIssuer: text({
    flags: "--console-oidc-issuer <url>",
    help: "identity provider for signing in to the console; https unless the host is loopback",
    shownDefault: "none, nobody can sign in to the console unless authentication is disabled",
  }),
  consoleOidcClientId: text({
    flags: "--console-oidc-client-id <id>",
    help: "public client at that provider; its redirect URI is /console/ of this controller",
  }),
  consoleOidcScope: textOr({
    flags: "--console-oidc-scope <scope>",
    help: "scopes that the console requests, separated by spaces; offline_access keeps users signed in",
    fallback: "openid",
  }),
  consoleOidcAudience: text({
    flags: "--console-oidc-audience <audience>",
    help: "audience that the console requests; Auth0 issues no usable token without it",
    shownDefault: "none",
  }),
} as const);

export type ConsoleSettings = SettingValues<typeof CONSOLE_SETTINGS>;

/** How users sign in to a console whose controller requires tokens. */
export function consoleSignIn({
  consoleOidcIssuer: issuer,
  consoleOidcClientId: clientId,
  consoleOidcScope: scope,
  consoleOidcAudience: audience = "",
}: ConsoleSettings): ConsoleConfig["authentication"] {
  if (issuer === undefined || clientId === undefined) return { kind: "unconfigured" };
  return { kind: "oidc", issuer, clientId, scope, audience };
}

/** Throws UsageError if the settings are incomplete or invalid. */
export function checkConsoleSettings({ consoleOidcIssuer, consoleOidcClientId }: ConsoleSettings): void {
  if ((consoleOidcIssuer === undefined) !== (consoleOidcClientId === undefined))
    throw new UsageError(
      "--console-oidc-issuer and --console-oidc-client-id belong together. Give both or neither.",
    );
  if (consoleOidcIssuer === undefined) return;
  if (!isProviderUrl(consoleOidcIssuer))
    throw new UsageError(
      `--console-oidc-issuer: ${JSON.stringify(consoleOidcIssuer)} is not an https URL (or http on loopback) without a user name and #fragment.`,
    );
}
