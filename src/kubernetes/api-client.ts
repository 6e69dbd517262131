/**
 * HTTP client of a Kubernetes API server, for JSON requests and line streams. Every request has a deadline, and dead
 * connections are detected.
 */
import type { IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import { messageOf } from "../platform/errors.ts";
import { type Access, AccessError, type Identity } from "./access.ts";
import { ApiFault, faultOfStatus } from "./api-fault.ts";

/** Milliseconds from the request to the end of its response. */
const ANSWER_LIMIT_MS = 10_000;
/** Maximum bytes of a response; a page of 500 tenants has about one million. */
const ANSWER_MOST_BYTES = 256 * 1024 * 1024;
/** Maximum characters of a line; the server accepts objects of at most about 1.5 MiB. */
const LINE_MOST_CHARS = 8 * 1024 * 1024;
/** Milliseconds of silence until TCP keep-alive probes start; a dead connection is closed 10 s later. */
const KEEP_ALIVE_MS = 5_000;

export interface ApiRequest {
  /** Default GET. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH";
  /** Starts with a slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Media type of the body; default JSON. */
  readonly type?: string;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

export class ApiClient {
  readonly #access: Access;
  #agent: { readonly shown: string; readonly agent: Agent } | undefined;

  constructor(access: Access) {
    this.#access = access;
  }

  /** Returns the parsed response. Throws ApiFault, within 10 s. */
  async ask(asked: ApiRequest): Promise<unknown> {
    const late = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const signal = AbortSignal.any([asked.signal, late]);
    try {
      return parsed(await textOf(await this.#open({ ...asked, signal })), asked);
    } catch (thrown) {
      throw late.aborted ? tooLate(asked, ANSWER_LIMIT_MS, thrown) : faultOf(thrown, asked);
    }
  }

  /**
   * Yields the lines of a response as they arrive, until the server ends it. The first line is empty and
   * means that the response has begun. Throws ApiFault, also if nothing arrived for `silenceMs`.
   */
  async *lines(asked: ApiRequest, silenceMs: number): AsyncGenerator<string> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), silenceMs);
    try {
      const signal = AbortSignal.any([asked.signal, silence.signal]);
      const answer = await this.#open({ ...asked, signal });
      timer.refresh();
      yield "";
      yield* linesOf(answer, () => timer.refresh());
    } catch (thrown) {
      throw silence.signal.aborted ? tooLate(asked, silenceMs, thrown) : faultOf(thrown, asked);
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent?.agent.destroy();
  }

  /** Returns the response once its headers have arrived with a success status. */
  async #open({ method = "GET", path, query = {}, body, type = "application/json", signal }: ApiRequest) {
    const { token, ...shown } = await this.#access.identity();
    const headers = {
      accept: "application/json",
      "user-agent": "svc",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": type }),
    };
    const search = new URLSearchParams(query).toString();
    const url = `${this.#access.server}${path}${search && `?${search}`}`;
    const answer = await send(url, { method, headers, signal, agent: this.#agentFor(shown) }, body);
    const { statusCode = 0 } = answer;
    if (statusCode >= 200 && statusCode < 300) return answer;
    const errorText = await textOf(answer).catch(() => "");
    const retryAfterMs = retryAfterIn(answer);
    throw faultOfStatus(statusCode, jsonIn(errorText), `${method} ${path}`, { retryAfterMs });
  }

  /** Connections belong to one identity and are closed when it changes. */
  #agentFor(identity: Identity): Agent {
    const { ca, cert, key } = identity;
    const shown = JSON.stringify([ca, cert, key]);
    if (this.#agent?.shown === shown) return this.#agent.agent;
    this.#agent?.agent.destroy();
    const servername = this.#access.serverName;
    const agent = new Agent({
      keepAlive: true,
      keepAliveMsecs: KEEP_ALIVE_MS,
      ca,
      cert,
      key,
      ...(servername && { servername }),
    });
    this.#agent = { shown, agent };
    return agent;
  }
}

async function send(url: string, options: RequestOptions, body: unknown): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request(url, options);
  sent.once("response", resolve);
  sent.on("error", reject);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/** API servers send whole seconds. */
function retryAfterIn({ headers }: IncomingMessage): number | undefined {
  const given = headers["retry-after"];
  return given !== undefined && /^\d+$/.test(given) ? Number(given) * 1000 : undefined;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ANSWER_MOST_BYTES)
      throw new ApiFault(
        "malformed",
        `The API server sent a response of more than ${ANSWER_MOST_BYTES} bytes.`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function* linesOf(answer: IncomingMessage, received: () => void): AsyncGenerator<string> {
  answer.setEncoding("utf8");
  let startedAt = "";
  for await (const chunk of answer as AsyncIterable<string>) {
    received();
    const lines = (startedAt + chunk).split("\n");
    startedAt = lines.pop() ?? "";
    if (startedAt.length > LINE_MOST_CHARS)
      throw new ApiFault(
        "malformed",
        `The API server sent a line of more than ${LINE_MOST_CHARS} characters.`,
      );
    yield* lines;
  }
}

function parsed(text: string, asked: ApiRequest): unknown {
  const value = jsonIn(text);
  if (value !== undefined) return value;
  throw new ApiFault(
    "malformed",
    `The API server answered ${nameOf(asked)} with a response that is not JSON.`,
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function faultOf(thrown: unknown, asked: ApiRequest): ApiFault {
  if (thrown instanceof ApiFault) return thrown;
  if (thrown instanceof AccessError) return new ApiFault("access", thrown.message, { cause: thrown });
  const why = messageOf(thrown);
  return new ApiFault("unreachable", `The API server cannot be reached for ${nameOf(asked)}: ${why}.`, {
    cause: thrown,
  });
}

function tooLate(asked: ApiRequest, limitMs: number, cause: unknown): ApiFault {
  const seconds = limitMs / 1000;
  return new ApiFault(
    "timeout",
    `The request ${nameOf(asked)} to the API server timed out after ${seconds} s.`,
    {
      cause,
    },
  );
}

function nameOf({ method = "GET", path }: ApiRequest): string {
  return `${method} ${path}`;
}
