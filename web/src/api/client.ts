/** The public REST interface, typed by its description. */
import createClient, { type Client, type Middleware } from "openapi-fetch";
import type { components, paths } from "../../../src/gen/rest/controller.ts";
import { errorOf, unanswered, unreachable } from "./problem.ts";

export type Schemas = components["schemas"];
export type Job = Schemas["Job"];

/** Who calls. */
export interface Credentials {
  /** The token to send now; undefined: none is needed. Throws when there is none. */
  token(): Promise<string | undefined>;
  /** The controller did not take a token that `token` gave. */
  refused(token: string): void;
  /** What was to be tried later is tried with the next call: somebody asks for it. */
  tryNow(): void;
}

export type Api = Client<paths>;

/** Every call throws ApiError unless it is answered with success. */
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
      return request.method === "GET" ? unreachable() : unanswered();
    },
  };
}

/** The body of an answer; failures are thrown before. */
export async function bodyOf<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  if (data === undefined) throw new TypeError("an answer has no body");
  return data;
}

interface RawRequest {
  /** GET where it is left out. */
  readonly method?: "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** A request outside the typed client, for answers that are read as they come. Throws ApiError. */
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
