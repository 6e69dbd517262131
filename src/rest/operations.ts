/** Requests become calls of the operations that a description has. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { inside } from "../platform/span.ts";
import { Caller } from "./caller.ts";
import type { Description } from "./description.ts";
import type { Handlers } from "./handlers.ts";
import { parseObject } from "./json.ts";
import { HttpFault, unsupportedMediaType } from "./problem.ts";
import { queryOf } from "./query.ts";
import type { Route } from "./routes.ts";

export function addOperations<Operations>(
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
    return inside(request.span, () => handler(call as Parameters<typeof handler>[0]));
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
