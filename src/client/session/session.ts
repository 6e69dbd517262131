/** A saved session: its server, its provider, and the tokens. */
import { isObject, JsonFault, type JsonObject, parseStrictly } from "../../platform/json.ts";
import { isToken } from "../tokens/token.ts";
import { isProviderUrl } from "../tokens/url.ts";

/** How a person signed in, and can sign in again. */
export interface SignInOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Parameters of the request; if undefined, the default scope is used and the others are omitted. */
  readonly scope?: string | undefined;
  readonly audience?: string | undefined;
  readonly organization?: string | undefined;
}

/** Tokens from a provider. */
export interface Grant {
  readonly accessToken: string;
  /** undefined: the session can't be renewed. */
  readonly refreshToken?: string | undefined;
  /** Milliseconds since 1970. */
  readonly obtainedMs: number;
  /** Milliseconds since 1970; undefined: not stated by the provider. */
  readonly expiresMs?: number | undefined;
}

export interface Session extends SignInOptions, Grant {
  /** The only server that gets the token: "host:port", as from normalServer. */
  readonly server: string;
  /** Whether the sign-in was over TLS; then the token is never sent unencrypted. */
  readonly tls: boolean;
}

const VERSION = 1;

/** Normalises a server's address: names in lower case, IPv6 shortened, the port without leading zeros. */
export function normalServer(address: string): string {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).toLowerCase();
  const canonical = host.startsWith("[") ? URL.parse(`http://${host}`)?.hostname : undefined;
  return `${canonical ?? host}:${Number(address.slice(colon + 1))}`;
}

export function sessionText({ obtainedMs, expiresMs, ...rest }: Session): string {
  const times = {
    obtained: isoTime(obtainedMs),
    expires: expiresMs === undefined ? null : isoTime(expiresMs),
  };
  return `${JSON.stringify({ version: VERSION, ...rest, ...times }, null, 2)}\n`;
}

/** Parses a session. Throws JsonFault, which quotes nothing of the text. */
export function parseSession(text: string): Session {
  const members = parseStrictly(text, 2);
  if (!isObject(members) || members["version"] !== VERSION) {
    throw new JsonFault("is not a session of this version of svc");
  }
  return {
    server: textOf(members, "server"),
    tls: members["tls"] !== false,
    issuer: textOf(members, "issuer", isProviderUrl),
    clientId: textOf(members, "clientId"),
    scope: optional(members, "scope"),
    audience: optional(members, "audience"),
    organization: optional(members, "organization"),
    accessToken: textOf(members, "accessToken", isToken),
    refreshToken: optional(members, "refreshToken"),
    obtainedMs: timeOf(members, "obtained"),
    expiresMs: members["expires"] === null ? undefined : timeOf(members, "expires"),
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function timeOf(members: JsonObject, name: string): number {
  return Date.parse(textOf(members, name, (text) => !Number.isNaN(Date.parse(text))));
}

function optional(members: JsonObject, name: string): string | undefined {
  return members[name] === undefined ? undefined : textOf(members, name);
}

function textOf(members: JsonObject, name: string, fits = (text: string) => text !== ""): string {
  const value = members[name];
  if (typeof value === "string" && fits(value)) return value;
  throw new JsonFault(`has no valid ${name}`);
}
