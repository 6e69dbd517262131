/**
 * Requests to a Kubernetes API server: JSON that is asked for and answered, and lines that go on coming.
 * Each has a deadline; a connection on which nothing comes any more is not waited for.
 */
import type { IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import { messageOf } from "../platform/thrown.ts";
import { type Access, AccessError, type Identity } from "./access.ts";
import { ApiFault, faultOfStatus } from "./api-fault.ts";

/** Milliseconds for the whole of a question and its answer. */
const ANSWER_LIMIT_MS = 10_000;
/** Bytes of an answer; a page of 500 tenants takes about one million. */
const ANSWER_MOST_BYTES = 256 * 1024 * 1024;
/** Characters of a line: the server itself takes objects of at most 1.5 MiB or so. */
const LINE_MOST_CHARS = 8 * 1024 * 1024;
/** Milliseconds of silence after which the system asks whether the other end is still there; a dead one is given up 10 s later. */
const KEEP_ALIVE_MS = 5_000;

export interface ApiRequest {
  /** Default GET. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH";
  /** Begins with a slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Media type of the body; default JSON. */
  readonly type?: string;
  /** Ends the request early. */
  readonly signal: AbortSignal;
}

export class ApiClient {
  readonly #access: Access;
  #agent: { readonly shown: string; readonly agent: Agent } | undefined;

  constructor(access: Access) {
    this.#access = access;
  }

  /** What the server answers. Throws ApiFault, within 10 s. */
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
   * The lines of an answer as they come, until the server ends it; the first is empty and says that it has
   * begun. Throws ApiFault, also when nothing came for `silenceMs`.
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

  /** Connections that nobody uses end. */
  close(): void {
    this.#agent?.agent.destroy();
  }

  /** The answer when its headers are there, and say that it is one. */
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
    const said = await textOf(answer).catch(() => "");
    const retryAfterMs = retryAfterIn(answer);
    throw faultOfStatus(statusCode, jsonIn(said), `${method} ${path}`, { retryAfterMs });
  }

  /** Connections are for one identity: they end with it. */
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

/** API servers give it in whole seconds. */
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
      throw new ApiFault("malformed", `The API server answers with more than ${ANSWER_MOST_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function* linesOf(answer: IncomingMessage, heard: () => void): AsyncGenerator<string> {
  answer.setEncoding("utf8");
  let begun = "";
  for await (const chunk of answer as AsyncIterable<string>) {
    heard();
    const lines = (begun + chunk).split("\n");
    begun = lines.pop() ?? "";
    if (begun.length > LINE_MOST_CHARS)
      throw new ApiFault(
        "malformed",
        `The API server sends a line of more than ${LINE_MOST_CHARS} characters.`,
      );
    yield* lines;
  }
}

function parsed(text: string, asked: ApiRequest): unknown {
  const value = jsonIn(text);
  if (value !== undefined) return value;
  throw new ApiFault("malformed", `The API server answers ${nameOf(asked)} with what is no JSON.`);
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
  return new ApiFault("unreachable", `The API server cannot be reached, for ${nameOf(asked)}: ${why}.`, {
    cause: thrown,
  });
}

function tooLate(asked: ApiRequest, limitMs: number, cause: unknown): ApiFault {
  const seconds = limitMs / 1000;
  return new ApiFault("timeout", `The API server is silent for ${seconds} s, to ${nameOf(asked)}.`, {
    cause,
  });
}

function nameOf({ method = "GET", path }: ApiRequest): string {
  return `${method} ${path}`;
}
