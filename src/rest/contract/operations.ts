/** Adds the operations of a description to a server, with their handlers. */
import { METHODS } from "node:http";
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { inside } from "../../platform/observability/span.ts";
import { Caller } from "../http/caller.ts";
import { HttpFault, unsupportedMediaType } from "../http/problem.ts";
import type { Description } from "./description.ts";
import type { Handlers } from "./handlers.ts";
import { parseObject } from "./json.ts";
import type { Operation } from "./operation.ts";
import { queryOf } from "./query.ts";
import { schemaFault } from "./schema-faults.ts";
import { validatorsOf } from "./validators.ts";

export function addOperations<Operations>(
  app: FastifyInstance,
  { operations, components }: Description<keyof Operations & string>,
  handlers: Handlers<Operations>,
): void {
  // READERS decide which bodies an operation accepts, not the framework.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.addContentTypeParser(BYTES, (_request, payload, done) => done(null, payload));
  app.setValidatorCompiler(validatorsOf(components));
  app.setSchemaErrorFormatter(schemaFault);
  checkHandlers(operations, handlers);
  for (const operation of operations) addOperation(app, operation, handlers[operation.id]);
  refuseOtherMethods(app, operations);
  // Before the framework reads the body: an unknown path is always 404.
  app.addHook("onRequest", async ({ is404 }) => {
    if (is404) throw new HttpFault(404, "NOT_FOUND", NOTHING_HERE);
  });
}

const NOTHING_HERE = "There is nothing at this path. See /ui for the available paths.";

/** The bodies that are read as they arrive; the media type of tus. */
const BYTES = "application/offset+octet-stream";

type Handler = (call: never) => FastifyReply | Promise<FastifyReply>;

/** Throws if an operation has no handler, or a handler no operation: they are not of the same description. */
function checkHandlers(operations: readonly Operation<string>[], handlers: object): void {
  const [described, handled] = [operations.map(({ id }) => id), Object.keys(handlers)];
  const missing = described.filter((id) => !handled.includes(id)).map((id) => `${id} has no handler`);
  const odd = handled.filter((id) => !described.includes(id)).map((id) => `${id} is not described`);
  const faults = [...missing, ...odd];
  if (faults.length > 0) throw new TypeError(faults.join(", "));
}

const READERS = { none: () => undefined, json: jsonOf, stream: streamOf } as const;

function addOperation(
  app: FastifyInstance,
  { id, method, path, queryParameters, strictQuery, body: kind, bodyLimit, schema }: Operation<string>,
  handler: Handler,
): void {
  app.route({
    method,
    url: urlOf(path),
    config: { operation: id, label: path },
    schema,
    ...(bodyLimit !== undefined && { bodyLimit }),
    preValidation: async (request) => {
      request.query = queryOf(request.raw.url ?? "/", queryParameters, strictQuery);
      request.body = READERS[kind](request);
    },
    handler: (request, reply) => {
      const { admitted, params, query, body } = request;
      const call = { request, reply, caller: new Caller(request, reply), params, query, body, admitted };
      // Both the validation and the types of the handlers are generated from the description.
      return inside(request.span, () => handler(call as never));
    },
  });
}

/** A parameter is a part of one segment without ":", which separates an id from a custom method. */
function urlOf(path: string): string {
  // In the framework's paths ":" begins a parameter; "::" is a literal colon.
  return path.replaceAll(":", "::").replaceAll(/\{(\w+)\}/g, ":$1([^:]+)");
}

/** Responds with 405 to other methods at the paths of operations, before the framework reads the body. */
function refuseOtherMethods(app: FastifyInstance, operations: readonly Operation<string>[]): void {
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
  for (const [path, described] of Map.groupBy(operations, (operation) => operation.path)) {
    const allowed: string[] = described.map(({ method }) => method);
    if (allowed.includes("GET")) allowed.push("HEAD");
    const refuse = async () => {
      throw notAllowed(allowed.join(", "));
    };
    const others = METHODS.filter((method) => !allowed.includes(method));
    app.route({ method: others, url: urlOf(path), onRequest: refuse, handler: refuse });
  }
}

function notAllowed(allow: string): HttpFault {
  return new HttpFault(405, "METHOD_NOT_ALLOWED", `This path only accepts ${allow}.`, { allow });
}

/**
 * Accepts only JSON with the content type of JSON. A page of another site can make a browser send any other type to a
 * server on loopback without a preflight. A missing body is rejected as JSON, too.
 */
function jsonOf(request: FastifyRequest): unknown {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  const { "content-encoding": encoding = "identity" } = request.headers;
  const body = request.body instanceof Uint8Array ? request.body : undefined;
  const isNothing = type === undefined && (body === undefined || body.length === 0);
  if ((type !== "application/json" && !isNothing) || encoding !== "identity") throw unsupportedMediaType();
  return parseObject(body);
}

/** Returns the body as the framework's parser of BYTES left it: still to be read. */
function streamOf({ body, headers }: FastifyRequest): Readable {
  if (body instanceof Readable && headers["content-encoding"] === undefined) return body;
  throw new HttpFault(
    415,
    "UNSUPPORTED_MEDIA_TYPE",
    `Send the body with the header "Content-Type: ${BYTES}", and without "Content-Encoding".`,
  );
}
