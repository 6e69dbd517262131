/** A REST server: limits, then the page's files, then the operations of a description. */
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
import type { Gate } from "../auth/gate.ts";
import type { Certificate } from "../platform/certificate.ts";
import { Connections, MOST_CONNECTIONS } from "../platform/connections.ts";
import type { Log } from "../platform/log.ts";
import { PASSING, type Tracer } from "../platform/span.ts";
import { tlsServer } from "../platform/tls-server.ts";
import { MOST_HEADER_BYTES, REQUEST_ID } from "../platform/transport-limits.ts";
import { admitAll, admitAstray } from "./admission.ts";
import { AllowedHosts } from "./allowed-hosts.ts";
import { addConsole, type ConsolePages } from "./console.ts";
import { refuseOtherOrigins } from "./cross-origin.ts";
import type { Description } from "./description.ts";
import type { Handlers } from "./handlers.ts";
import { addHome } from "./home.ts";
import { observe } from "./observe.ts";
import { addOperations } from "./operations.ts";
import { clientErrorHandler } from "./parser-faults.ts";
import { faultOf, HttpFault, sendFault } from "./problem.ts";
import { addUiFiles } from "./ui.ts";
import { limitUnfinished } from "./unfinished.ts";

/** Bytes: the longest request for one pair that makes sense is under 10 KB. */
const BODY_LIMIT = 256 * 1024;
/** Milliseconds between two looks for requests that are late. */
const CHECK_EVERY_MS = 500;
/** Milliseconds: over the idle time of the usual load balancers (60 s), so that they close first. */
const KEEP_ALIVE_MS = 75_000;

export interface RestOptions {
  readonly gate: Gate;
  readonly registry: Registry;
  readonly log: Log;
  /** Whether the page may send requests. */
  readonly tryItOut: boolean;
  /** Milliseconds in which a request must have arrived, its body included. */
  readonly requestTimeoutMs: number;
  /** undefined: there is none. */
  readonly console?: ConsolePages | undefined;
  /** undefined: no audit log is kept. */
  readonly audit?: Audit | undefined;
  /** undefined: plain HTTP. */
  readonly certificate?: Certificate | undefined;
  /** Default: one that passes on what callers give. */
  readonly tracer?: Tracer | undefined;
  /** Default: as many as Connections holds. */
  readonly connections?: Connections | undefined;
  /** As in AllowedHostsOptions; default: none is named. */
  readonly allowedHosts?: readonly string[] | undefined;
}

declare module "fastify" {
  interface FastifyInstance {
    /** Of every server here. */
    readonly connections: Connections;
    readonly allowedHosts: AllowedHosts;
  }
}

/** `Operations` are those generated from the description. */
export function restServer<Operations>(
  description: Description<keyof Operations & string>,
  handlers: Handlers<Operations>,
  options: RestOptions,
): FastifyInstance {
  const app = newServer(options);
  app.decorate("connections", connectionsOf(app, options.connections ?? new Connections()));
  // What is expected is ignored, as RFC 9110 (10.1.1) allows; Node.js would answer without a body.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  const { allowedHosts = [], gate } = options;
  app.decorate("allowedHosts", new AllowedHosts(app.server, { allowedHosts, asksNobody: gate.asksNobody }));
  observe(app, options.registry, options.log);
  addHeaders(app);
  addErrors(app, options.log);
  app.addHook("onRequest", async (request) => checkHostAndOrigin(request));
  admitAll(app, description, { ...options, tracer: options.tracer ?? PASSING });
  limitUnfinished(app);
  addUiFiles(app, options.tryItOut);
  if (options.console !== undefined) addConsole(app, options.console);
  addHome(app, { hasConsole: options.console !== undefined });
  addOperations(app, description, handlers);
  return app;
}

/** Takes no new connections; resolves when the requests under way have their answers and their clients are let go. */
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
    maxHeaderSize: MOST_HEADER_BYTES,
    // Refused below, in the words of this interface.
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
    // What still comes on an open connection is answered as ever, and its connection then closed.
    return503OnClosing: false,
    genReqId: ({ headers }) => requestIdOf(headers["x-request-id"]),
    requestIdHeader: false,
    clientErrorHandler,
    frameworkErrors: (error, request, reply) => void refuseAstray(error, request, reply, options),
    http,
    ...(serverFactory && { serverFactory }),
  });
}

/** What the framework refuses before any hook. */
async function refuseAstray(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RestOptions,
): Promise<void> {
  let fault = faultOf(error, BODY_LIMIT);
  try {
    checkHostAndOrigin(request);
    await admitAstray(request, reply, options, fault);
  } catch (thrown) {
    fault = faultOf(thrown, BODY_LIMIT);
  }
  sendFault(reply.headers(headersOf(request)), fault);
}

/** For which host a request is, and for whose page. RFC 9112, 3.2: of HTTP/1.1 on, it names its host. Throws HttpFault. */
function checkHostAndOrigin({ raw, server }: FastifyRequest): void {
  if (raw.httpVersion !== "1.0" && raw.headers.host === undefined)
    throw new HttpFault(400, "MALFORMED_REQUEST", "The request has no Host header.");
  server.allowedHosts.check(raw);
  refuseOtherOrigins(raw, (host) => server.allowedHosts.isNamed(host));
}

function connectionsOf({ server }: FastifyInstance, connections: Connections): Connections {
  server.maxConnections = MOST_CONNECTIONS;
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

/** The headers of every answer. */
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
 * What the client still sends is read and dropped, within the time that a request has to arrive: a
 * client that is cut off while it sends never comes to read why.
 */
function dropRest(request: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader("connection");
  request.raw.resume();
}
