/** What a REST request tells the services: its id, who calls, and when its caller has gone. */
import type { FastifyRequest } from "fastify";
import type { Principal } from "../auth/principal.ts";
import type { CallContext } from "../controller/operations.ts";
import type { Caller } from "./caller.ts";

export function contextOf(call: {
  readonly request: FastifyRequest;
  readonly principal: Principal;
  readonly caller: Caller;
}): CallContext {
  return { requestId: call.request.id, principal: call.principal, signal: call.caller.gone };
}
