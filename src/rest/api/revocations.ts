/** Revocations over REST. */
import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { TenantOperations } from "../../controller/api/operations.ts";
import {
  LiftRevocationRequestSchema,
  ListRevocationsRequestSchema,
  RevokeTokensRequestSchema,
} from "../../gen/proto/svc/v1/tenant_pb.ts";
import type { operations } from "../../gen/rest/controller.ts";
import { revocationJson } from "../../messages/json.ts";
import type { Call } from "../contract/handlers.ts";
import { readMessage } from "../contract/message.ts";
import { required } from "../contract/required.ts";
import { contextOf } from "../http/context.ts";

export async function revokeTokens(
  tenants: TenantOperations,
  call: Call<operations["revokeTokens"]>,
): Promise<FastifyReply> {
  const request = readMessage(RevokeTokensRequestSchema, call.body);
  const { revocation, existed } = await tenants.revokeTokens(request, contextOf(call));
  return call.reply.code(existed ? 200 : 201).send(revocationJson(required(revocation, "revocation")));
}

export async function listRevocations(
  tenants: TenantOperations,
  call: Call<operations["listRevocations"]>,
): Promise<FastifyReply> {
  const { pageSize, pageToken } = call.query;
  const request = create(ListRevocationsRequestSchema, {
    ...(pageSize !== undefined && { pageSize }),
    ...(pageToken !== undefined && { pageToken }),
  });
  const page = await tenants.listRevocations(request, contextOf(call));
  return call.reply.send({
    revocations: page.revocations.map(revocationJson),
    nextPageToken: page.nextPageToken,
  });
}

export async function liftRevocation(
  tenants: TenantOperations,
  call: Call<operations["liftRevocation"]>,
): Promise<FastifyReply> {
  const request = create(LiftRevocationRequestSchema, { id: call.params.id });
  const { revocation } = await tenants.liftRevocation(request, contextOf(call));
  return call.reply.send(revocationJson(required(revocation, "revocation")));
}
