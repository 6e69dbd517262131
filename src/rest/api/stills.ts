/** Stills of a job over REST: lists them, serves their images, and requests or deletes stills. */
import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { JobOperations } from "../../controller/api/operations.ts";
import {
  DeleteStillRequestSchema,
  GetStillRequestSchema,
  ListStillsRequestSchema,
  RequestStillsRequestSchema,
  type Still,
  Still_Side,
} from "../../gen/proto/svc/v1/job_pb.ts";
import type { components, operations } from "../../gen/rest/controller.ts";
import { stillJson } from "../../messages/json.ts";
import type { Call } from "../contract/handlers.ts";
import { contextOf } from "../http/context.ts";
import { immutable } from "../http/immutable.ts";

/** Only images are served with their stored media type. The contract lists these types. */
const MEDIA_TYPES = ["image/webp"];
const SIDES = { reference: Still_Side.REFERENCE, distorted: Still_Side.DISTORTED } as const;

export async function listStills(
  jobs: JobOperations,
  call: Call<operations["listStills"]>,
): Promise<FastifyReply> {
  const { id } = call.params;
  const { stills } = await jobs.listStills(create(ListStillsRequestSchema, { id }), contextOf(call));
  return call.reply.send(listOf(stills));
}

export async function requestStills(
  jobs: JobOperations,
  call: Call<operations["requestStills"]>,
): Promise<FastifyReply> {
  const { frames } = call.body as components["schemas"]["StillsRequest"];
  const request = create(RequestStillsRequestSchema, { id: call.params.id, frames });
  const { stills } = await jobs.requestStills(request, contextOf(call));
  return call.reply.code(202).send(listOf(stills));
}

export async function deleteStill(
  jobs: JobOperations,
  call: Call<operations["deleteStill"]>,
): Promise<FastifyReply> {
  const { id, frame } = call.params;
  const request = create(DeleteStillRequestSchema, { id, frame: Number(frame) });
  const { stills } = await jobs.deleteStill(request, contextOf(call));
  return call.reply.send(listOf(stills));
}

export async function getStill(
  jobs: JobOperations,
  call: Call<operations["getStill"]>,
): Promise<FastifyReply> {
  const { id, frame, side } = call.params;
  const request = create(GetStillRequestSchema, { id, frame: Number(frame), side: SIDES[side] });
  const { still, image } = await jobs.getStill(request, contextOf(call));
  const type = MEDIA_TYPES.find((known) => known === still?.mediaType);
  if (type === undefined) throw new TypeError(`${JSON.stringify(still?.mediaType)} is not served`);
  immutable(call.reply, type);
  return call.caller.send(Buffer.from(image.buffer, image.byteOffset, image.length));
}

function listOf(stills: readonly Still[]): object {
  return { stills: stills.map(stillJson) };
}
