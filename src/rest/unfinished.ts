/**
 * Bodies on their way are held until they are whole. A request takes room for the body that it announces, or for the
 * longest that its route takes where it announces none, until then or until its client is gone.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { NOBODY } from "../auth/principal.ts";
import { HeldBytes, type HeldBytesLimits, tooMuchHeld } from "../platform/held-bytes.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Gives back the room of its body; undefined: it has none. */
    bodyWhole: (() => void) | undefined;
  }
}

/** After admitAll: it must be known who calls. Requests without a tenant count for one. */
export function limitUnfinished(app: FastifyInstance, limits?: HeldBytesLimits): void {
  const held = new HeldBytes(limits);
  app.decorateRequest("bodyWhole", undefined);
  app.addHook("onRequest", async (request, reply) => {
    const bytes = announced(request);
    if (bytes === 0) return;
    const principal = request.arrived?.admitted.principal ?? NOBODY;
    const tenant = principal === NOBODY ? "" : principal.tenant;
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

/** Bytes of the body: at most what is read of it. */
function announced({ raw, routeOptions }: FastifyRequest): number {
  const { "transfer-encoding": coding, "content-length": length } = raw.headers;
  if (coding !== undefined) return routeOptions.bodyLimit;
  return Math.min(Number(length ?? 0), routeOptions.bodyLimit);
}
