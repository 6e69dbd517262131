/** A REST server: limits, then the page's files, then the operations of a description. */
import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
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
import { PASSING, type Tracer, within } from "../platform/span.ts";
import { errorCode } from "../platform/thrown.ts";
import { admitAll, admitAstray } from "./admission.ts";
import { AllowedHosts } from "./allowed-hosts.ts";
import { Caller } from "./caller.ts";
import { addConsole, type ConsolePages } from "./console.ts";
import type { Description } from "./description.ts";
import type { Handlers } from "./handlers.ts";
import { parseObject } from "./json.ts";
import { observe } from "./observe.ts";
import {
  faultOf,
  type HttpCode,
  HttpFault,
  problemBody,
  sendFault,
  unsupportedMediaType,
} from "./problem.ts";
import { queryOf } from "./query.ts";
import type { Route } from "./routes.ts";
import { secureServer } from "./secure-server.ts";
import { addUiFiles } from "./ui.ts";

/** Bytes: the longest request for one pair that makes sense is under 10 KB. */
const BODY_LIMIT = 256 * 1024;
/** Milliseconds between two looks for requests that are late. */
const CHECK_EVERY_MS = 500;
/** Milliseconds: over the idle time of the usual load balancers (60 s), so that they close first. */
const KEEP_ALIVE_MS = 75_000;
/** Milliseconds in which a client must have finished its TLS handshake. */
const HANDSHAKE_LIMIT_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;
const REQUEST_ID = /^[\w.:-]{1,128}$/;

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
  app.addHook("onRequest", async (request) => checkHost(request));
  admitAll(app, description, { ...options, tracer: options.tracer ?? PASSING });
  addUiFiles(app, options.tryItOut);
  if (options.console !== undefined) addConsole(app, options.console);
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
    maxHeaderSize: MAX_HEADER_BYTES,
    // Refused below, in the words of this interface.
    requireHostHeader: false,
    keepAlive: true,
    noDelay: true,
  };
  const https = { ...http, handshakeTimeout: HANDSHAKE_LIMIT_MS };
  const serverFactory: FastifyServerFactory | undefined =
    certificate && ((handler) => secureServer(certificate, https, handler));
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
    checkHost(request);
    await admitAstray(request, reply, options, fault);
  } catch (thrown) {
    fault = faultOf(thrown, BODY_LIMIT);
  }
  sendFault(reply.headers(headersOf(request)), fault);
}

/** RFC 9112, 3.2: of HTTP/1.1 on, a request names its host. Throws for one that may not be answered here, too. */
function checkHost({ raw, server }: FastifyRequest): void {
  if (raw.httpVersion !== "1.0" && raw.headers.host === undefined)
    throw new HttpFault(400, "MALFORMED_REQUEST", "The request has no Host header.");
  server.allowedHosts.check(raw);
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

function addOperations<Operations>(
  app: FastifyInstance,
  description: Description<keyof Operations & string>,
  handlers: Handlers<Operations>,
): void {
  // Bodies stay bytes until the route is known: an unknown path is 404 whatever it was sent.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.arrived === undefined) throw new TypeError("a request came in unseen");
    const { admitted, route: found } = request.arrived;
    if (found instanceof HttpFault) throw found;
    const route = found as Route<keyof Operations & string>;
    const query = queryOf(request.raw.url ?? "/", route.queryParameters, route.strictQuery);
    const body = route.takesBody ? bodyOf(request) : undefined;
    if (route.takesBody || route.queryParameters.length > 0) description.validate(route, query, body);
    const caller = new Caller(request, reply);
    // The description is what both the checks and the types of the handlers are made from.
    const call = { request, reply, caller, params: route.params, query, body, admitted } as unknown;
    const handler = handlers[route.operationId];
    return within(request.span, () => handler(call as Parameters<typeof handler>[0]));
  };
  // ":" begins a parameter in the addresses of the framework, "::" stands for itself.
  for (const { path, bytes } of description.bodyLimits) {
    app.post(path.replaceAll(":", "::"), { bodyLimit: bytes }, handle);
  }
  app.all("/*", handle);
  // Methods that the framework does not know.
  app.setNotFoundHandler(handle);
}

/**
 * JSON only, and said to be JSON: a page of another site can make a browser send
 * any other type to a server on loopback without asking first. Nothing at all is no JSON either.
 */
function bodyOf(request: FastifyRequest): unknown {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  const { "content-encoding": encoding = "identity" } = request.headers;
  const body = request.body instanceof Uint8Array ? request.body : undefined;
  const isNothing = type === undefined && (body === undefined || body.length === 0);
  if ((type !== "application/json" && !isNothing) || encoding !== "identity") throw unsupportedMediaType();
  return parseObject(body);
}

/** What the HTTP parser refuses before there is a request. */
const PARSER_FAULTS: Readonly<Record<string, readonly [number, HttpCode, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, "REQUEST_TIMEOUT", "The request did not arrive in time."],
  HPE_HEADER_OVERFLOW: [431, "HEADERS_TOO_LARGE", `The headers are larger than ${MAX_HEADER_BYTES} bytes.`],
};

function clientErrorHandler(error: Error, socket: Socket): void {
  const reason = errorCode(error) ?? "";
  // Where a TLS handshake failed, an answer could not be sent.
  if (reason === "ECONNRESET" || !socket.writable || /^ERR_(SSL|TLS)_/.test(reason)) {
    socket.destroy();
    return;
  }
  const fault = PARSER_FAULTS[reason] ?? [400, "MALFORMED_REQUEST", "This is not an HTTP request."];
  const [status, code, detail] = fault;
  const requestId = randomUUID();
  const body = JSON.stringify(problemBody(status, code, detail, requestId));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `X-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
