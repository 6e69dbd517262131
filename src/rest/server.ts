/** A REST server: limits, the files of the API documentation, and the operations of a description. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  fastify,
} from "fastify";
import type { Registry } from "prom-client";
import type { Audit } from "../audit/audit.ts";
import type { Gate } from "../auth/access/gate.ts";
import type { Certificate } from "../platform/net/certificate.ts";
import { Connections, MAX_CONNECTIONS } from "../platform/net/connections.ts";
import { tlsServer } from "../platform/net/tls-server.ts";
import { MAX_HEADER_BYTES, REQUEST_ID } from "../platform/net/transport-limits.ts";
import type { Log } from "../platform/observability/log.ts";
import { PASSING, type Tracer } from "../platform/observability/span.ts";
import { admitAll, admitUnrouted } from "./access/admission.ts";
import { AllowedHosts } from "./access/allowed-hosts.ts";
import { refuseOtherOrigins } from "./access/cross-origin.ts";
import type { Description } from "./contract/description.ts";
import type { Handlers } from "./contract/handlers.ts";
import { addOperations } from "./contract/operations.ts";
import { observe } from "./http/observe.ts";
import { clientErrorHandler } from "./http/parser-faults.ts";
import { faultOf, HttpFault, sendFault } from "./http/problem.ts";
import { limitUnfinished } from "./http/unfinished.ts";
import { addConsole, type ConsolePages } from "./pages/console.ts";
import { addHome } from "./pages/home.ts";
import { addUiFiles } from "./pages/ui.ts";

/** Bytes. The longest reasonable request for one pair is under 10 KB. */
const BODY_LIMIT = 256 * 1024;
/** Milliseconds between checks for requests that exceed the time limit. */
const CHECK_EVERY_MS = 500;
/** Milliseconds. Longer than the idle timeout of common load balancers (60 s), so that they close first. */
const KEEP_ALIVE_MS = 75_000;

export interface RestOptions {
  readonly gate: Gate;
  readonly registry: Registry;
  readonly log: Log;
  /** Whether the API documentation can send requests. */
  readonly tryItOut: boolean;
  /** Milliseconds within which a request must be received, including its body. */
  readonly requestTimeoutMs: number;
  /** undefined: no console. */
  readonly console?: ConsolePages | undefined;
  /** undefined: no audit log. */
  readonly audit?: Audit | undefined;
  /** undefined: plain HTTP. */
  readonly certificate?: Certificate | undefined;
  /** Default: propagates the traces of callers. */
  readonly tracer?: Tracer | undefined;
  /** Default: with the usual limits. */
  readonly connections?: Connections | undefined;
  /** See AllowedHostsOptions; default: none. */
  readonly allowedHosts?: readonly string[] | undefined;
}

declare module "fastify" {
  interface FastifyInstance {
    /** Set for every server in this folder. */
    readonly connections: Connections;
    readonly allowedHosts: AllowedHosts;
  }
}

/** `Operations` are generated from the description. */
export function restServer<Operations>(
  description: Description<keyof Operations & string>,
  handlers: Handlers<Operations>,
  options: RestOptions,
): FastifyInstance {
  const app = newServer(options);
  app.decorate("connections", connectionsOf(app, options.connections ?? new Connections()));
  // Expect headers are ignored, as RFC 9110 (10.1.1) permits; Node.js would respond without a body.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  const { allowedHosts = [], gate } = options;
  app.decorate("allowedHosts", new AllowedHosts(app.server, { allowedHosts, isAnonymous: gate.isAnonymous }));
  observe(app, options.registry, options.log);
  addHeaders(app);
  addErrors(app, options.log);
  app.addHook("onRequest", async (request) => checkHostAndOrigin(request));
  admitAll(app, { ...options, tracer: options.tracer ?? PASSING });
  limitUnfinished(app);
  addUiFiles(app, options.tryItOut);
  if (options.console !== undefined) addConsole(app, options.console);
  addHome(app, { hasConsole: options.console !== undefined });
  addOperations(app, description, handlers);
  return app;
}

/** Stops accepting connections. Resolves when active requests have been answered and all connections are closed. */
export async function closeServer(app: FastifyInstance): Promise<void> {
  await app.connections.drain(app.close(), () => app.server.closeIdleConnections());
}

function newServer(options: RestOptions): FastifyInstance {
  const { requestTimeoutMs, certificate } = options;
  const http = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Checked below, so that the error has the format of this API.
    requireHostHeader: false,
    keepAlive: true,
    noDelay: true,
  };
  const serverFactory: FastifyServerFactory | undefined =
    certificate &&
    ((handler) => tlsServer(certificate, "http/1.1", (tls) => createServer({ ...http, ...tls }, handler)));
  return fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: "idle",
    // Requests on open connections are still answered; then the connection is closed.
    return503OnClosing: false,
    genReqId: ({ headers }) => requestIdOf(headers["x-request-id"]),
    requestIdHeader: false,
    clientErrorHandler,
    frameworkErrors: (error, request, reply) => void refuseUnrouted(error, request, reply, options),
    http,
    // Parameters are as long as the headers allow; longer than the default of 100 characters they would be 404.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    ...(serverFactory && { serverFactory }),
  });
}

/** Responds to a request that the framework rejects before any hook. */
async function refuseUnrouted(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RestOptions,
): Promise<void> {
  let fault = faultOf(error, BODY_LIMIT);
  try {
    checkHostAndOrigin(request);
    await admitUnrouted(request, reply, options, fault);
  } catch (thrown) {
    fault = faultOf(thrown, BODY_LIMIT);
  }
  sendFault(reply.headers(headersOf(request)), fault);
}

/** Checks Host and origin. Since HTTP/1.1, Host is required (RFC 9112, 3.2). Throws HttpFault. */
function checkHostAndOrigin({ raw, server }: FastifyRequest): void {
  if (raw.httpVersion !== "1.0" && raw.headers.host === undefined)
    throw new HttpFault(400, "MALFORMED_REQUEST", "The request has no Host header.");
  server.allowedHosts.check(raw);
  refuseOtherOrigins(raw, (host) => server.allowedHosts.isNamed(host));
}

function connectionsOf({ server }: FastifyInstance, connections: Connections): Connections {
  server.maxConnections = MAX_CONNECTIONS;
  server.on("connection", (socket: Socket) => connections.add(socket));
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    response.once("close", connections.begin(socket));
  });
  return connections;
}

function requestIdOf(given: string | readonly string[] | undefined): string {
  return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
}

function addHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(headersOf(request));
  });
}

/** The headers of every response. */
function headersOf(request: FastifyRequest): Record<string, string> {
  return { "x-request-id": request.id, "x-content-type-options": "nosniff", "cache-control": "no-store" };
}

function addErrors(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((thrown, request, reply) => {
    const fault = faultOf(thrown, request.routeOptions.bodyLimit);
    request.entry?.failed(fault.code);
    request.span?.set({ "svc.error.code": fault.code });
    if (fault.code === "INTERNAL") log.error({ requestId: request.id, err: thrown }, "http request failed");
    if (fault.code === "REQUEST_TOO_LARGE") dropRest(request, reply);
    return sendFault(reply, fault);
  });
}

/**
 * Reads and drops the rest of the request, within the request timeout. A client that is disconnected while it sends
 * would never read the error.
 */
function dropRest(request: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader("connection");
  request.raw.resume();
}
