/** What a REST request tells the services: its id, who calls, whether still, and when its caller has gone. */
import type { FastifyRequest } from "fastify";
import type { Principal } from "../auth/principal.ts";
import type { CallContext } from "../controller/operations.ts";
import type { Caller } from "./caller.ts";

export function contextOf(call: {
  readonly request: FastifyRequest;
  readonly principal: Principal;
  readonly caller: Caller;
}): CallContext {
  const { id, admitted } = call.request;
  const context = { requestId: id, principal: call.principal, signal: call.caller.gone };
  return admitted === undefined ? context : { ...context, readmit: admitted.readmit };
}
