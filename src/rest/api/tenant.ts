/** Operations on the caller's tenant over REST. */
import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { TenantOperations } from "../../controller/api/operations.ts";
import { GetTenantRequestSchema } from "../../gen/proto/svc/v1/tenant_pb.ts";
import type { operations } from "../../gen/rest/controller.ts";
import { tenantJson } from "../../messages/json.ts";
import type { Call } from "../contract/handlers.ts";
import { required } from "../contract/required.ts";
import { contextOf } from "../http/context.ts";

export async function getTenant(
  tenants: TenantOperations,
  call: Call<operations["getTenant"]>,
): Promise<FastifyReply> {
  const { tenant } = await tenants.getTenant(create(GetTenantRequestSchema), contextOf(call));
  return call.reply.send(tenantJson(required(tenant, "tenant")));
}
