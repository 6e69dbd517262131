/** Client of the public REST API, typed by its OpenAPI description. */
import createClient, { type Client, type Middleware } from "openapi-fetch";
import type { components, paths } from "../../../src/gen/rest/controller.ts";
import { errorOf, unanswered, unreachable } from "./problem.ts";

export type Schemas = components["schemas"];
export type Job = Schemas["Job"];

/** The caller's credentials. */
export interface Credentials {
  /** The current token; undefined if none is needed. Throws if a token is needed and unavailable. */
  token(): Promise<string | undefined>;
  /** Reports that the controller refused a token from `token`. */
  refused(token: string): void;
  /** Skips the pause before the next attempt, because the user asked to retry. */
  tryNow(): void;
}

export type Api = Client<paths>;

/** Every call throws ApiError unless the response reports success. */
export function openApi(credentials: Credentials): Api {
  const client = createClient<paths>({ baseUrl: location.origin });
  client.use(bearer(credentials), failing(credentials));
  return client;
}

function bearer(credentials: Credentials): Middleware {
  return {
    async onRequest({ request }) {
      const token = await credentials.token();
      if (token !== undefined) request.headers.set("authorization", `Bearer ${token}`);
      return request;
    },
  };
}

/** URLs of requests that submit jobs or comparisons. */
const SUBMITS = /\/v1\/(jobs(:batch)?|comparisons)$/;

function failing(credentials: Credentials): Middleware {
  return {
    async onResponse({ request, response }) {
      if (response.ok) return;
      const token = request.headers.get("authorization")?.replace(/^Bearer /, "");
      if (response.status === 401 && token !== undefined) credentials.refused(token);
      throw errorOf(response.status, await response.json().catch(() => undefined));
    },
    onError({ request, error }) {
      if (!(error instanceof TypeError)) return undefined;
      return request.method === "GET"
        ? unreachable()
        : unanswered(SUBMITS.test(request.url) ? "submission" : "request");
    },
  };
}

/** Returns the body of a response; failures are thrown earlier. */
export async function bodyOf<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  if (data === undefined) throw new TypeError("the response has no body");
  return data;
}

interface RawRequest {
  /** Default: GET. */
  readonly method?: "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** A request outside the typed client, for streamed responses. Throws ApiError. */
export async function fetchRaw(
  credentials: Credentials,
  path: string,
  init: RawRequest = {},
): Promise<Response> {
  const token = await credentials.token();
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(path, { ...init, headers: { ...init.headers, ...authorization } }).catch(
    (thrown: unknown) => {
      if (!(thrown instanceof TypeError)) throw thrown;
      throw init.method === undefined ? unreachable() : unanswered();
    },
  );
  if (response.ok) return response;
  if (response.status === 401 && token !== undefined) credentials.refused(token);
  throw errorOf(response.status, await response.json().catch(() => undefined));
}
