/** Routes requests to the handlers of a description's operations. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Admitted } from "../../auth/access/gate.ts";
import { inside } from "../../platform/observability/span.ts";
import { Caller } from "../http/caller.ts";
import { HttpFault, unsupportedMediaType } from "../http/problem.ts";
import type { Description } from "./description.ts";
import type { Handlers } from "./handlers.ts";
import { parseObject } from "./json.ts";
import { queryOf } from "./query.ts";
import type { Route } from "./routes.ts";

export function addOperations<Operations>(
  app: FastifyInstance,
  description: Description<keyof Operations & string>,
  handlers: Handlers<Operations>,
): void {
  // bodyOf decides which bodies an operation accepts, not the framework.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const { admitted, route } = routed<keyof Operations & string>(request);
    const query = queryOf(request.raw.url ?? "/", route.queryParameters, route.strictQuery);
    const body = route.takesBody ? bodyOf(request) : undefined;
    if (route.isChecked) description.validate(route, query, body);
    const caller = new Caller(request, reply);
    // Both the validation and the types of the handlers are generated from the description.
    const call = { request, reply, caller, params: route.params, query, body, admitted } as unknown;
    const handler = handlers[route.operationId];
    return inside(request.span, () => handler(call as Parameters<typeof handler>[0]));
  };
  // Before the framework looks at the body: an unknown path is always 404, and a wrong method always 405.
  const onRequest = async (request: FastifyRequest) => void routed(request);
  // In the framework's paths ":" begins a parameter; "::" is a literal colon.
  for (const { path, bytes } of description.bodyLimits) {
    app.post(path.replaceAll(":", "::"), { bodyLimit: bytes, onRequest }, handle);
  }
  app.all("/*", { onRequest }, handle);
  // Methods that the framework does not know.
  app.setNotFoundHandler(handle);
}

/** Returns the caller and the operation. Throws 404 or 405. */
function routed<Id extends string>({ arrived }: FastifyRequest): { admitted: Admitted; route: Route<Id> } {
  if (arrived === undefined) throw new TypeError("the request was not admitted");
  const { admitted, route } = arrived;
  if (route instanceof HttpFault) throw route;
  return { admitted, route: route as Route<Id> };
}

/**
 * Accepts only JSON with the content type of JSON. A page of another site can make a browser send any other type to a
 * server on loopback without a preflight. A missing body is rejected as JSON, too.
 */
function bodyOf(request: FastifyRequest): unknown {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  const { "content-encoding": encoding = "identity" } = request.headers;
  const body = request.body instanceof Uint8Array ? request.body : undefined;
  const isNothing = type === undefined && (body === undefined || body.length === 0);
  if ((type !== "application/json" && !isNothing) || encoding !== "identity") throw unsupportedMediaType();
  return parseObject(body);
}
