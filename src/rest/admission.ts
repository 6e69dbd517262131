/** Who calls and what for is decided when a request's headers are there, before its body is read. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Audit } from "../audit/audit.ts";
import type { AuditEntry } from "../audit/entry.ts";
import { type Admitted, type Gate, letIn } from "../auth/gate.ts";
import { NOBODY } from "../auth/principal.ts";
import type { Tracer } from "../platform/span.ts";
import { entryFor } from "./auditing.ts";
import type { Description } from "./description.ts";
import { HttpFault } from "./problem.ts";
import type { Route } from "./routes.ts";
import { beginSpan } from "./tracing.ts";

export interface Arrived {
  readonly admitted: Admitted;
  /** The operation, or why there is none: told to nobody who does not say who it is. */
  readonly route: Route<string> | HttpFault;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Of a route that no description has: the name in the table of permissions that it goes by. */
    readonly openAs?: string;
  }
  interface FastifyRequest {
    /** Of every request that comes to a handler. */
    arrived: Arrived | undefined;
    /** What the audit log is told of it; undefined: nothing. */
    entry: AuditEntry | undefined;
  }
}

/** `audit`: undefined: no audit log is kept. */
export function admitAll(
  app: FastifyInstance,
  description: Description<string>,
  {
    gate,
    audit,
    tracer,
  }: { readonly gate: Gate; readonly audit?: Audit | undefined; readonly tracer: Tracer },
): void {
  app.decorateRequest("arrived", undefined);
  app.decorateRequest("entry", undefined);
  app.decorateRequest("span", undefined);
  app.addHook("onRequest", async (request, reply) => {
    const route = routeOf(description, request);
    const described = route instanceof HttpFault ? undefined : route.operationId;
    const operation = request.routeOptions.config.openAs ?? described;
    if (!(route instanceof HttpFault)) request.route = route.path;
    const entry = audit && entryFor(audit, request, reply, operation);
    request.entry = entry;
    const admitted = await letIn(gate, operation, authorizationOf(request), entry);
    const { principal } = admitted;
    if (principal !== NOBODY) app.connections.know(request.raw.socket, principal.tenant);
    // What is refused here, or asks for nothing that there is, makes no span: strangers cannot fill the traces.
    if (principal !== NOBODY && !(route instanceof HttpFault)) {
      request.span = beginSpan(tracer, request, reply, { ...route, tenant: principal.tenant });
      entry?.traced(request.span?.context.traceId);
    }
    request.arrived = { admitted, route };
  });
}

/**
 * Of a request whose address cannot be read, which comes to no hook: who calls is decided all the same
 * before anything is answered. Throws Failure.
 */
export async function admitAstray(
  request: FastifyRequest,
  reply: FastifyReply,
  { gate, audit }: { readonly gate: Gate; readonly audit?: Audit | undefined },
  fault: { readonly code: string },
): Promise<void> {
  const entry = audit && entryFor(audit, request, reply, undefined);
  await letIn(gate, undefined, authorizationOf(request), entry);
  entry?.failed(fault.code);
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
