/** Authenticates and authorizes a request when its headers have arrived, before its body is read. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Audit } from "../../audit/audit.ts";
import type { AuditEntry } from "../../audit/entry.ts";
import { type Admitted, admitCaller, type Gate } from "../../auth/access/gate.ts";
import { ANONYMOUS } from "../../auth/principal.ts";
import type { Tracer } from "../../platform/observability/span.ts";
import { entryFor } from "../http/auditing.ts";
import { beginSpan } from "../http/tracing.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * Its name in the table of permissions; undefined: it is not in the table, and any valid token is
     * accepted.
     */
    readonly operation?: string;
  }
  interface FastifyRequest {
    /** The caller; set for every request that reaches a handler. */
    admitted: Admitted | undefined;
    /** The request's audit entry; undefined: no audit log. */
    entry: AuditEntry | undefined;
  }
}

/** `audit`: undefined: no audit log. */
export function admitAll(
  app: FastifyInstance,
  {
    gate,
    audit,
    tracer,
  }: { readonly gate: Gate; readonly audit?: Audit | undefined; readonly tracer: Tracer },
): void {
  app.decorateRequest("admitted", undefined);
  app.decorateRequest("entry", undefined);
  app.decorateRequest("span", undefined);
  app.addHook("onRequest", async (request, reply) => {
    const { operation } = request.routeOptions.config;
    const entry = audit && entryFor(audit, request, reply, operation);
    request.entry = entry;
    const admitted = await admitCaller(gate, operation, authorizationOf(request), entry);
    request.admitted = admitted;
    const { principal } = admitted;
    if (principal === ANONYMOUS) return;
    app.connections.identify(request.raw.socket, principal.tenant);
    // Refused requests and unknown paths get no span, so that unauthenticated callers cannot fill the traces.
    if (operation === undefined) return;
    request.span = beginSpan(tracer, request, reply, { operation, tenant: principal.tenant });
    entry?.traced(request.span?.context.traceId);
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
  await admitCaller(gate, undefined, authorizationOf(request), entry);
  entry?.failed(fault.code);
}

/**
 * The value of the Authorization header. Several headers are joined to a list (RFC 9110, 5.3): Node.js keeps only the
 * first, but a proxy in front may have checked another one.
 */
function authorizationOf({ raw }: FastifyRequest): string | undefined {
  return raw.headersDistinct["authorization"]?.join(", ");
}
