/** Parts of uploads to buckets over REST. */
import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { UploadOperations } from "../../controller/api/operations.ts";
import {
  CompleteUploadRequestSchema,
  SignUploadPartsRequestSchema,
} from "../../gen/proto/svc/v1/upload_pb.ts";
import type { operations } from "../../gen/rest/controller.ts";
import { signedPartJson, uploadJson } from "../../messages/json.ts";
import type { Call } from "../contract/handlers.ts";
import { readMessage } from "../contract/message.ts";
import { required } from "../contract/required.ts";
import { contextOf } from "../http/context.ts";

export async function signUploadParts(
  service: UploadOperations,
  call: Call<operations["signUploadParts"]>,
): Promise<FastifyReply> {
  const request = readMessage(SignUploadPartsRequestSchema, call.body);
  request.id = call.params.id;
  const { upload, parts, validSeconds } = await service.signUploadParts(request, contextOf(call));
  const shown = uploadJson(required(upload, "upload"));
  return call.reply.send({ upload: shown, parts: parts.map(signedPartJson), validSeconds });
}

export async function completeUpload(
  service: UploadOperations,
  call: Call<operations["completeUpload"]>,
): Promise<FastifyReply> {
  const request = create(CompleteUploadRequestSchema, { id: call.params.id });
  const { upload } = await service.completeUpload(request, contextOf(call));
  return call.reply.send(uploadJson(required(upload, "upload")));
}
