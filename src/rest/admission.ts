/** Who calls and what for is decided when a request's headers are there, before its body is read. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Admitted, type Gate, letIn } from "../auth/gate.ts";
import type { Description } from "./description.ts";
import { HttpFault } from "./problem.ts";
import type { Route } from "./routes.ts";

export interface Arrived {
  readonly admitted: Admitted;
  /** The operation, or why there is none: told to nobody who does not say who it is. */
  readonly route: Route<string> | HttpFault;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Of every request that comes to a handler. */
    arrived: Arrived | undefined;
  }
}

export function admitAll(app: FastifyInstance, description: Description<string>, gate: Gate): void {
  app.decorateRequest("arrived", undefined);
  app.addHook("onRequest", async (request) => {
    const route = routeOf(description, request);
    const operation = route instanceof HttpFault ? undefined : route.operationId;
    if (!(route instanceof HttpFault)) request.route = route.path;
    const admitted = await letIn(gate, operation, authorizationOf(request));
    request.arrived = { admitted, route };
  });
}

/**
 * The header's value. Of several all, as the list that they stand for (RFC 9110, 5.3): what is before
 * this server may have looked at another one than Node.js keeps, which is the first.
 */
function authorizationOf({ raw }: FastifyRequest): string | undefined {
  return raw.headersDistinct["authorization"]?.join(", ");
}

function routeOf(description: Description<string>, { method, raw }: FastifyRequest): Arrived["route"] {
  try {
    return description.route(method, pathOf(raw.url));
  } catch (thrown) {
    if (thrown instanceof HttpFault) return thrown;
    throw thrown;
  }
}

function pathOf(url = "/"): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}
