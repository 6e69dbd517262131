/**
 * The monitoring port of processes that serve no REST requests on it: metrics and probes over plain HTTP, without
 * tokens and client certificates.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import { Failure } from "../../platform/failure.ts";
import { MAX_HEADER_BYTES } from "../../platform/net/transport-limits.ts";
import { AllowedHosts } from "../access/allowed-hosts.ts";
import { HEALTH_PATHS, READY_PATHS } from "../http/probes.ts";
import { HttpFault, headersOfFault, problemOf } from "../http/problem.ts";

/** Milliseconds within which a request must be received; requests here have no body. */
const REQUEST_TIMEOUT_MS = 10_000;

export interface MonitoringOptions {
  readonly registry: Registry;
  /** Returns the body of a positive readiness response. Throws Failure if the process is not ready. */
  readonly ready: () => object | Promise<object>;
  /** See AllowedHostsOptions. */
  readonly allowedHosts: readonly string[];
}

type Answer = () => Promise<readonly [type: string, body: string]>;

export class MonitoringServer {
  readonly #server: Server;
  readonly #answers: ReadonlyMap<string, Answer>;
  readonly #allowedHosts: AllowedHosts;

  constructor(options: MonitoringOptions) {
    this.#answers = answersOf(options);
    const limits = { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS };
    this.#server = createServer({ ...limits, maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
      void this.#answer(request, response);
    });
    const { allowedHosts } = options;
    this.#allowedHosts = new AllowedHosts(this.#server, { allowedHosts, isAnonymous: true });
  }

  /** Resolves with the actual port. */
  listen(host: string, port: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#server.once("error", reject);
    this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    return promise;
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const requestId = randomUUID();
    response.setHeader("x-request-id", requestId);
    response.setHeader("cache-control", "no-store");
    try {
      this.#allowedHosts.check(request);
      const [type, body] = await this.#found(request)();
      response.setHeader("content-type", type).end(request.method === "HEAD" ? undefined : body);
    } catch (thrown) {
      sendFault(response, thrown instanceof HttpFault ? thrown : Failure.from(thrown), requestId);
    }
  }

  #found({ url = "/", method }: IncomingMessage): Answer {
    const answer = this.#answers.get(url.split("?")[0] ?? "/");
    if (answer === undefined) {
      const known = [...this.#answers.keys()].join(", ");
      throw new HttpFault(404, "NOT_FOUND", `There is nothing at this path. Available paths: ${known}.`);
    }
    if (method === "GET" || method === "HEAD") return answer;
    throw new HttpFault(405, "METHOD_NOT_ALLOWED", "This path only accepts GET and HEAD.", {
      allow: "GET, HEAD",
    });
  }
}

function answersOf({ registry, ready }: MonitoringOptions): Map<string, Answer> {
  const answers = new Map<string, Answer>();
  answers.set("/metrics", async () => [registry.contentType, await registry.metrics()]);
  const json = (body: object) => ["application/json; charset=utf-8", JSON.stringify(body)] as const;
  for (const path of HEALTH_PATHS) answers.set(path, async () => json({ status: "ok" }));
  for (const path of READY_PATHS) answers.set(path, async () => json(await ready()));
  return answers;
}

function sendFault(response: ServerResponse, fault: HttpFault | Failure, requestId: string): void {
  const body = problemOf(fault, requestId);
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.writeHead(body.status, headersOfFault(fault, body.status)).end(JSON.stringify(body));
}
