/** GET /v1/tenant/audit: calls the controller's service. */
import type { FastifyReply } from "fastify";
import type { TenantOperations } from "../../controller/api/operations.ts";
import { ListAuditRequestSchema } from "../../gen/proto/svc/v1/audit_pb.ts";
import type { operations } from "../../gen/rest/controller.ts";
import { auditJson } from "../../messages/json.ts";
import type { Call } from "../contract/handlers.ts";
import { readMessage } from "../contract/message.ts";
import { contextOf } from "../http/context.ts";

export async function listAudit(
  tenants: TenantOperations,
  call: Call<operations["listAudit"]>,
): Promise<FastifyReply> {
  // The query parameters are the members of the request in proto JSON.
  const page = await tenants.listAudit(readMessage(ListAuditRequestSchema, call.query), contextOf(call));
  return call.reply.send({ records: page.records.map(auditJson), nextPageToken: page.nextPageToken });
}
