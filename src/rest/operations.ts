/** Requests become calls of the operations that a description has. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Admitted } from "../auth/gate.ts";
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
  // Which bodies an operation takes is judged here, not by the framework.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const { admitted, route } = routed<keyof Operations & string>(request);
    const query = queryOf(request.raw.url ?? "/", route.queryParameters, route.strictQuery);
    const body = route.takesBody ? bodyOf(request) : undefined;
    if (route.isChecked) description.validate(route, query, body);
    const caller = new Caller(request, reply);
    // The description is what both the checks and the types of the handlers are made from.
    const call = { request, reply, caller, params: route.params, query, body, admitted } as unknown;
    const handler = handlers[route.operationId];
    return inside(request.span, () => handler(call as Parameters<typeof handler>[0]));
  };
  // Before the framework looks at the body and its type: an unknown path is 404, and a wrong method 405, with any of them.
  const onRequest = async (request: FastifyRequest) => void routed(request);
  // ":" begins a parameter in the addresses of the framework, "::" stands for itself.
  for (const { path, bytes } of description.bodyLimits) {
    app.post(path.replaceAll(":", "::"), { bodyLimit: bytes, onRequest }, handle);
  }
  app.all("/*", { onRequest }, handle);
  // Methods that the framework does not know.
  app.setNotFoundHandler(handle);
}

/** Who calls, and which operation. Throws 404 or 405. */
function routed<Id extends string>({ arrived }: FastifyRequest): { admitted: Admitted; route: Route<Id> } {
  if (arrived === undefined) throw new TypeError("a request came in unseen");
  const { admitted, route } = arrived;
  if (route instanceof HttpFault) throw route;
  return { admitted, route: route as Route<Id> };
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
