/** The handlers of the operations in api/openapi.yaml. They call the scoring service. */
import type { FastifyReply } from "fastify";
import type { Registry } from "prom-client";
import { DiagnoseRequestSchema, ScoreRequestSchema } from "../../gen/proto/svc/v1/scoring_pb.ts";
import type { components, operations } from "../../gen/rest/openapi.ts";
import { diagnosisMessage } from "../../messages/findings.ts";
import { diagnosisJson, resultJson } from "../../messages/json.ts";
import { resultMessage } from "../../messages/result.ts";
import type { ScoringService } from "../../scoring/service.ts";
import type { Description } from "../contract/description.ts";
import type { Call, Handlers } from "../contract/handlers.ts";
import { readMessage } from "../contract/message.ts";
import { jsonWithFrames } from "./frames.ts";
import { serviceHandlers } from "./service.ts";

export interface ScoringParts {
  readonly service: ScoringService;
  readonly registry: Registry;
}

export function scoringHandlers(
  { service, registry }: ScoringParts,
  description: Description<keyof operations>,
): Handlers<operations> {
  const ready = ({ reply }: { readonly reply: FastifyReply }) => {
    const scorer = service.readiness();
    return reply.send({ status: "ready", scorer } satisfies components["schemas"]["Ready"]);
  };
  return {
    ...serviceHandlers(description),
    score: (call) => score(service, call),
    diagnose: (call) => diagnose(service, call),
    getReady: ready,
    getReadyAlias: ready,
    getMetrics: async ({ reply }) => reply.type(registry.contentType).send(await registry.metrics()),
  };
}

async function score(
  service: ScoringService,
  { request, reply, caller, body }: Call<operations["score"]>,
): Promise<FastifyReply> {
  const message = readMessage(ScoreRequestSchema, body);
  const result = await service.score(message, { requestId: request.id, signal: caller.gone });
  const head = JSON.stringify(resultJson(resultMessage(result)));
  reply.type("application/json; charset=utf-8");
  return caller.send(message.frames ? jsonWithFrames(head, [result.frames]) : head);
}

async function diagnose(
  service: ScoringService,
  { request, caller, reply, body }: Call<operations["diagnose"]>,
): Promise<FastifyReply> {
  const message = readMessage(DiagnoseRequestSchema, body);
  const diagnosis = await service.diagnose(message, { requestId: request.id, signal: caller.gone });
  return reply.send(diagnosisJson(diagnosisMessage(diagnosis)));
}
