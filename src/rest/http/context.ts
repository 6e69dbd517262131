/** The context that a REST request passes to the services: its id, its caller, and the caller's disconnect. */
import type { FastifyRequest } from "fastify";
import type { Admitted } from "../../auth/access/gate.ts";
import type { CallContext } from "../../controller/api/operations.ts";
import type { Caller } from "./caller.ts";

export function contextOf(call: {
  readonly request: FastifyRequest;
  readonly admitted: Admitted;
  readonly caller: Caller;
}): CallContext {
  const { id: requestId, entry } = call.request;
  return { requestId, signal: call.caller.gone, entry, ...call.admitted };
}
