/** What is kept of a sign-in: for which server, with which provider, its tokens. */
import { isObject, JsonFault, type JsonObject, parseStrictly } from "../platform/json.ts";
import { isToken } from "./token.ts";
import { isProviderUrl } from "./token-url.ts";

/** How somebody signed in, and can again. */
export interface SignInOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Parameters of the request; undefined: the default scope, and nothing of the others. */
  readonly scope?: string | undefined;
  readonly audience?: string | undefined;
  readonly organization?: string | undefined;
}

/** What a provider granted. */
export interface Grant {
  readonly accessToken: string;
  /** undefined: it cannot be renewed. */
  readonly refreshToken?: string | undefined;
  /** Milliseconds of 1970. */
  readonly obtainedMs: number;
  /** Milliseconds of 1970; undefined: the provider does not tell. */
  readonly expiresMs?: number | undefined;
}

export interface Session extends SignInOptions, Grant {
  /** Only it is sent the token: "host:port", as normalServer writes it. */
  readonly server: string;
  /** It was signed in for over TLS, and the token is never sent in clear. */
  readonly tls: boolean;
}

const VERSION = 1;

/** One writing of a server's address: names in lower case, IPv6 shortened, the port without zeros before it. */
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

/** The session that a text holds. Throws JsonFault, which quotes nothing of it. */
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
  throw new JsonFault(`has no ${name} that can be used`);
}
