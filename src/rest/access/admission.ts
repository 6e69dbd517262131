/** Authenticates and authorizes a request when its headers have arrived, before its body is read. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Audit } from "../../audit/audit.ts";
import type { AuditEntry } from "../../audit/entry.ts";
import { type Admitted, type Gate, letIn } from "../../auth/access/gate.ts";
import { ANONYMOUS } from "../../auth/principal.ts";
import type { Tracer } from "../../platform/observability/span.ts";
import type { Description } from "../contract/description.ts";
import type { Route } from "../contract/routes.ts";
import { entryFor } from "../http/auditing.ts";
import { HttpFault } from "../http/problem.ts";
import { beginSpan } from "../http/tracing.ts";

export interface Arrived {
  readonly admitted: Admitted;
  /** The operation, or why there is none. The reason is only returned to an authenticated caller. */
  readonly route: Route<string> | HttpFault;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** For a route outside the description: its name in the table of permissions. */
    readonly openAs?: string;
  }
  interface FastifyRequest {
    /** Set for every request that reaches a handler. */
    arrived: Arrived | undefined;
    /** The request's audit entry; undefined: no audit log. */
    entry: AuditEntry | undefined;
  }
}

/** `audit`: undefined: no audit log. */
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
    if (principal !== ANONYMOUS) app.connections.know(request.raw.socket, principal.tenant);
    // Refused requests and unknown paths get no span, so that unauthenticated callers cannot fill the traces.
    if (principal !== ANONYMOUS && !(route instanceof HttpFault)) {
      request.span = beginSpan(tracer, request, reply, { ...route, tenant: principal.tenant });
      entry?.traced(request.span?.context.traceId);
    }
    request.arrived = { admitted, route };
  });
}

/**
 * Admits a request with a malformed URL, which reaches no hook. The caller is still authenticated before anything is
 * answered. Throws Failure.
 */
export async function admitUnrouted(
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
 * The value of the Authorization header. Several headers are joined to a list (RFC 9110, 5.3): Node.js keeps only the
 * first, but a proxy in front may have checked another one.
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
