/** Sends requests to allowed hosts. GET follows redirects, which are checked like the first URL. */
import type { Agent, Dispatcher } from "undici";
import { Refusal } from "./refusal.ts";

/** Redirects of one request. Storages use one; a longer chain is a loop or an attack. */
const MAX_REDIRECTS = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Which URLs may be requested. */
export interface Reach {
  /** Hosts as in URLs, with a port unless it is the scheme's default. */
  readonly hosts: readonly string[];
  /** Allows plain http, which only a storage in a private network may use. */
  readonly plainHttp: boolean;
}

export interface FetchOptions {
  readonly agent: Agent;
  readonly reach: Reach;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Returns the response, whose body must be read or destroyed. Throws Refusal, and the errors of undici. */
export async function guardedGet(url: string, options: FetchOptions): Promise<Dispatcher.ResponseData> {
  let target = allowed(url, options.reach);
  for (let redirects = 0; ; redirects++) {
    const { agent, headers, signal } = options;
    const { origin, pathname, search } = target;
    const path = `${pathname}${search}`;
    const response = await agent.request({ origin, path, method: "GET", headers: { ...headers }, signal });
    if (!REDIRECTS.includes(response.statusCode)) return response;
    const { location } = response.headers;
    response.body.on("error", () => {}).destroy();
    if (redirects === MAX_REDIRECTS) throw new Refusal("it redirects too often");
    if (typeof location !== "string" || !URL.canParse(location, target.href))
      throw new Refusal("it redirects to nowhere");
    target = allowed(new URL(location, target.href).href, options.reach, target.protocol);
  }
}

export type Method = "GET" | "HEAD" | "PUT" | "POST" | "DELETE";

/** A request that may change something. */
export interface GuardedRequest extends FetchOptions {
  readonly method: Method;
  readonly body: string | Uint8Array | undefined;
}

/** Follows no redirect. Returns and throws as guardedGet does. */
export async function guardedSend(url: string, request: GuardedRequest): Promise<Dispatcher.ResponseData> {
  const { agent, reach, method, headers, body, signal } = request;
  const { origin, pathname, search } = allowed(url, reach);
  const sent = { method, headers: { ...headers }, body: body ?? null, signal };
  return agent.request({ origin, path: `${pathname}${search}`, ...sent });
}

/** Throws Refusal. A redirect must not leave TLS. */
function allowed(text: string, { hosts, plainHttp }: Reach, before = "http:"): URL {
  const url = new URL(text);
  const isPlain = url.protocol === "http:";
  if (url.protocol !== "https:" && !(isPlain && plainHttp)) throw new Refusal("it is not an https URL");
  if (isPlain && before === "https:") throw new Refusal("it redirects from https to http");
  if (url.username !== "" || url.password !== "") throw new Refusal("it has a user name or password");
  if (!hosts.includes(url.host)) throw new Refusal("its host is not one of the storage's");
  return url;
}
