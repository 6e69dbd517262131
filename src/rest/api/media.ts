/** GET /v1/media: calls the controller's service. */
import type { FastifyReply } from "fastify";
import type { TenantOperations } from "../../controller/api/operations.ts";
import { ListMediaRequestSchema } from "../../gen/proto/svc/v1/media_pb.ts";
import type { operations } from "../../gen/rest/controller.ts";
import { mediaJson } from "../../messages/json.ts";
import type { Call } from "../contract/handlers.ts";
import { readMessage } from "../contract/message.ts";
import { contextOf } from "../http/context.ts";

export async function listMedia(
  tenants: TenantOperations,
  call: Call<operations["listMedia"]>,
): Promise<FastifyReply> {
  // The query parameters are the members of the request in proto JSON.
  const page = await tenants.listMedia(readMessage(ListMediaRequestSchema, call.query), contextOf(call));
  const { entries, nextPageToken, probed } = page;
  return call.reply.send({ entries: entries.map(mediaJson), nextPageToken, probed });
}
