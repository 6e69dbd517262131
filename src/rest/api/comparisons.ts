/** Comparisons over REST. */
import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { ComparisonOperations } from "../../controller/api/operations.ts";
import {
  AddCellsRequestSchema,
  CancelComparisonRequestSchema,
  DeleteComparisonRequestSchema,
  GetComparisonRequestSchema,
  GetTrendRequestSchema,
  ListComparisonsRequestSchema,
  RetryCellsRequestSchema,
  SubmitComparisonRequestSchema,
} from "../../gen/proto/svc/v1/comparison_pb.ts";
import type { operations } from "../../gen/rest/controller.ts";
import { comparisonJson, trendJson } from "../../messages/json.ts";
import type { Call } from "../contract/handlers.ts";
import { readMessage } from "../contract/message.ts";
import { required } from "../contract/required.ts";
import { contextOf } from "../http/context.ts";
import { idempotencyKeyOf, labelsOf } from "./jobs.ts";

export async function submitComparison(
  comparisons: ComparisonOperations,
  call: Call<operations["submitComparison"]>,
): Promise<FastifyReply> {
  const request = readMessage(SubmitComparisonRequestSchema, call.body);
  request.idempotencyKey = idempotencyKeyOf(call.request.headers["idempotency-key"]);
  const { comparison, existed } = await comparisons.submitComparison(request, contextOf(call));
  const stored = required(comparison, "comparison");
  return call.reply
    .code(existed ? 200 : 201)
    .header("location", `/v1/comparisons/${stored.id}`)
    .send(comparisonJson(stored));
}

export async function getComparison(
  comparisons: ComparisonOperations,
  call: Call<operations["getComparison"]>,
): Promise<FastifyReply> {
  const request = create(GetComparisonRequestSchema, { id: call.params.id });
  const { comparison } = await comparisons.getComparison(request, contextOf(call));
  return call.reply.send(comparisonJson(required(comparison, "comparison")));
}

export async function listComparisons(
  comparisons: ComparisonOperations,
  call: Call<operations["listComparisons"]>,
): Promise<FastifyReply> {
  const request = readMessage(ListComparisonsRequestSchema, call.query);
  const page = await comparisons.listComparisons(request, contextOf(call));
  return call.reply.send({
    comparisons: page.comparisons.map(comparisonJson),
    nextPageToken: page.nextPageToken,
  });
}

export async function getTrend(
  comparisons: ComparisonOperations,
  call: Call<operations["getTrend"]>,
): Promise<FastifyReply> {
  const { label, ...same } = call.query;
  const request = readMessage(GetTrendRequestSchema, same);
  request.labels = labelsOf(label);
  const { trend } = await comparisons.getTrend(request, contextOf(call));
  return call.reply.send(trendJson(required(trend, "trend")));
}

export async function addCells(
  comparisons: ComparisonOperations,
  call: Call<operations["addCells"]>,
): Promise<FastifyReply> {
  const request = readMessage(AddCellsRequestSchema, call.body);
  request.id = call.params.id;
  const { comparison, added } = await comparisons.addCells(request, contextOf(call));
  return call.reply.send({ comparison: comparisonJson(required(comparison, "comparison")), added });
}

export async function retryCells(
  comparisons: ComparisonOperations,
  call: Call<operations["retryCells"]>,
): Promise<FastifyReply> {
  const request = readMessage(RetryCellsRequestSchema, call.body);
  request.id = call.params.id;
  const { comparison, retried } = await comparisons.retryCells(request, contextOf(call));
  return call.reply.send({ comparison: comparisonJson(required(comparison, "comparison")), retried });
}

export async function cancelComparison(
  comparisons: ComparisonOperations,
  call: Call<operations["cancelComparison"]>,
): Promise<FastifyReply> {
  const request = create(CancelComparisonRequestSchema, { id: call.params.id });
  const { comparison, cancelled } = await comparisons.cancelComparison(request, contextOf(call));
  return call.reply.send({ comparison: comparisonJson(required(comparison, "comparison")), cancelled });
}

export async function deleteComparison(
  comparisons: ComparisonOperations,
  call: Call<operations["deleteComparison"]>,
): Promise<FastifyReply> {
  const request = create(DeleteComparisonRequestSchema, { id: call.params.id });
  const { comparison } = await comparisons.deleteComparison(request, contextOf(call));
  return call.reply.send(comparisonJson(required(comparison, "comparison")));
}
