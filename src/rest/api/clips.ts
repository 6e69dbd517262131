/** Clips of a job over REST: lists them, serves their videos, and requests or deletes clips. */
import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { JobOperations } from "../../controller/api/operations.ts";
import {
  type Clip,
  DeleteClipRequestSchema,
  GetClipRequestSchema,
  type GetClipResponse,
  ListClipsRequestSchema,
  RequestClipsRequestSchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import type { components, operations } from "../../gen/rest/controller.ts";
import { clipJson } from "../../messages/json.ts";
import type { Call } from "../contract/handlers.ts";
import { contextOf } from "../http/context.ts";
import { immutable } from "../http/immutable.ts";
import { started } from "./frames.ts";

/** Only videos of this type are stored. The contract lists it. */
const MEDIA_TYPE = "video/mp4";

export async function listClips(
  jobs: JobOperations,
  call: Call<operations["listClips"]>,
): Promise<FastifyReply> {
  const { id } = call.params;
  const { clips } = await jobs.listClips(create(ListClipsRequestSchema, { id }), contextOf(call));
  return call.reply.send(listOf(clips));
}

export async function requestClips(
  jobs: JobOperations,
  call: Call<operations["requestClips"]>,
): Promise<FastifyReply> {
  const { frames } = call.body as components["schemas"]["ClipsRequest"];
  const request = create(RequestClipsRequestSchema, { id: call.params.id, frames });
  const { clips } = await jobs.requestClips(request, contextOf(call));
  return call.reply.code(202).send(listOf(clips));
}

export async function deleteClip(
  jobs: JobOperations,
  call: Call<operations["deleteClip"]>,
): Promise<FastifyReply> {
  const { id, frame } = call.params;
  const request = create(DeleteClipRequestSchema, { id, frame: Number(frame) });
  const { clips } = await jobs.deleteClip(request, contextOf(call));
  return call.reply.send(listOf(clips));
}

export async function getClip(jobs: JobOperations, call: Call<operations["getClip"]>): Promise<FastifyReply> {
  const { id, frame } = call.params;
  const request = create(GetClipRequestSchema, { id, frame: Number(frame) });
  const parts = await started(jobs.getClip(request, contextOf(call)));
  immutable(call.reply, MEDIA_TYPE);
  return call.caller.send(piecesOf(parts));
}

async function* piecesOf(parts: AsyncIterable<GetClipResponse>): AsyncGenerator<Uint8Array> {
  for await (const { piece } of parts) yield piece;
}

function listOf(clips: readonly Clip[]): object {
  return { clips: clips.map(clipJson) };
}
