/**
 * Limits the bodies of requests that are being received, which are held in memory. A request reserves the announced
 * size of its body, or the limit of its route if none is announced. The reservation ends when the body is complete or
 * the client disconnects.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ANONYMOUS } from "../../auth/principal.ts";
import { HeldBytes, tooMuchHeld } from "../../platform/net/held-bytes.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Releases the reservation of its body; undefined: it has none. */
    bodyWhole: (() => void) | undefined;
  }
}

/** Must be added after admitAll, because it needs the tenant. Requests without a tenant count as one tenant. */
export function limitUnfinished(app: FastifyInstance): void {
  const held = new HeldBytes();
  app.decorateRequest("bodyWhole", undefined);
  app.addHook("onRequest", async (request, reply) => {
    const bytes = announced(request);
    if (bytes === 0) return;
    const principal = request.admitted?.principal ?? ANONYMOUS;
    const tenant = principal === ANONYMOUS ? "" : principal.tenant;
    if (!held.count(tenant, bytes)) throw tooMuchHeld();
    const giveBack = () => {
      if (request.bodyWhole === undefined) return;
      request.bodyWhole = undefined;
      held.count(tenant, -bytes);
    };
    request.bodyWhole = giveBack;
    reply.raw.once("close", giveBack);
  });
  app.addHook("preValidation", async (request) => request.bodyWhole?.());
}

/** Size of the body in bytes, at most the limit of its route. */
function announced({ raw, routeOptions }: FastifyRequest): number {
  const { "transfer-encoding": coding, "content-length": length } = raw.headers;
  if (coding !== undefined) return routeOptions.bodyLimit;
  return Math.min(Number(length ?? 0), routeOptions.bodyLimit);
}
