/** The operations of every process: liveness, API documentation and description. */
import type { FastifyReply } from "fastify";
import type { components } from "../../gen/rest/openapi.ts";
import type { Description } from "../contract/description.ts";
import { sendPage } from "../pages/ui.ts";

interface Answer {
  readonly reply: FastifyReply;
}

export function serviceHandlers<Id extends string>({ json, title }: Description<Id>) {
  const health = ({ reply }: Answer) =>
    reply.send({ status: "ok" } satisfies components["schemas"]["Health"]);
  return {
    getHealth: health,
    getHealthAlias: health,
    getUi: ({ reply }: Answer) => sendPage(reply, title),
    getSpec: ({ reply }: Answer) => reply.type("application/json; charset=utf-8").send(json),
  } as const;
}
