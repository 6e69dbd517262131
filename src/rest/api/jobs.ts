/** Jobs over REST: submit, read, list, update, cancel, delete. */
import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { JobOperations } from "../../controller/api/operations.ts";
import {
  CancelJobRequestSchema,
  DeleteJobRequestSchema,
  FinishJobRequestSchema,
  GetJobRequestSchema,
  type Job,
  Job_State,
  JobSpecSchema,
  ListJobsRequestSchema,
  SubmitJobRequestSchema,
  SubmitJobsRequestSchema,
  UpdateJobRequestSchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import type { components, operations } from "../../gen/rest/controller.ts";
import { jobJson } from "../../messages/json.ts";
import { invalid } from "../../platform/failure.ts";
import type { Call } from "../contract/handlers.ts";
import { readMessage } from "../contract/message.ts";
import { required } from "../contract/required.ts";
import { contextOf } from "../http/context.ts";

export async function submitJob(
  jobs: JobOperations,
  call: Call<operations["submitJob"]>,
): Promise<FastifyReply> {
  const request = create(SubmitJobRequestSchema, {
    job: readMessage(JobSpecSchema, call.body),
    idempotencyKey: idempotencyKeyOf(call.request.headers["idempotency-key"]),
  });
  const { job, existed } = await jobs.submitJob(request, contextOf(call));
  return sendSubmitted(call.reply, required(job, "job"), existed);
}

function sendSubmitted(reply: FastifyReply, job: Job, existed: boolean): FastifyReply {
  return reply
    .code(existed ? 200 : 201)
    .header("location", locationOf(job.id))
    .send(jobJson(job));
}

export async function submitJobs(
  jobs: JobOperations,
  call: Call<operations["submitJobs"]>,
): Promise<FastifyReply> {
  const request = readMessage(SubmitJobsRequestSchema, call.body);
  const stored = await jobs.submitJobs(request, contextOf(call));
  const entries = stored.jobs.map(({ job, existed }) => ({ job: jobJson(required(job, "job")), existed }));
  return call.reply.code(entries.every(({ existed }) => existed) ? 200 : 201).send({ jobs: entries });
}

export async function getJob(jobs: JobOperations, call: Call<operations["getJob"]>): Promise<FastifyReply> {
  const { id } = call.params;
  const { job } = await jobs.getJob(create(GetJobRequestSchema, { id }), contextOf(call));
  return call.reply.send(jobJson(required(job, "job")));
}

export async function listJobs(
  jobs: JobOperations,
  call: Call<operations["listJobs"]>,
): Promise<FastifyReply> {
  const { state, label, ...same } = call.query;
  // The other query parameters are members of the request in proto JSON.
  const request = readMessage(ListJobsRequestSchema, same);
  request.states = statesOf(state);
  request.labels = labelsOf(label);
  const page = await jobs.listJobs(request, contextOf(call));
  return call.reply.send({ jobs: page.jobs.map(jobJson), nextPageToken: page.nextPageToken });
}

export async function cancelJob(
  jobs: JobOperations,
  call: Call<operations["cancelJob"]>,
): Promise<FastifyReply> {
  const { id } = call.params;
  const { job } = await jobs.cancelJob(create(CancelJobRequestSchema, { id }), contextOf(call));
  return call.reply.send(jobJson(required(job, "job")));
}

export async function finishJob(
  jobs: JobOperations,
  call: Call<operations["finishJob"]>,
): Promise<FastifyReply> {
  const { id } = call.params;
  const { job, existed } = await jobs.finishJob(create(FinishJobRequestSchema, { id }), contextOf(call));
  return sendSubmitted(call.reply, required(job, "job"), existed);
}

export async function updateJob(
  jobs: JobOperations,
  call: Call<operations["updateJob"]>,
): Promise<FastifyReply> {
  const request = readMessage(UpdateJobRequestSchema, call.body);
  request.id = call.params.id;
  const { job } = await jobs.updateJob(request, contextOf(call));
  return call.reply.send(jobJson(required(job, "job")));
}

export async function deleteJob(
  jobs: JobOperations,
  call: Call<operations["deleteJob"]>,
): Promise<FastifyReply> {
  const { id } = call.params;
  const { cancel = false } = call.query;
  const { job } = await jobs.deleteJob(create(DeleteJobRequestSchema, { id, cancel }), contextOf(call));
  return call.reply.send(jobJson(required(job, "job")));
}

export function locationOf(id: string): string {
  return `/v1/jobs/${id}`;
}

export function statesOf(states: readonly components["schemas"]["JobState"][] = []): Job_State[] {
  return states.map((state) => Job_State[state]);
}

/** Parses "key=value" or "key:value", split at the first "=" or ":". Throws INVALID_REQUEST. */
export function labelsOf(texts: readonly string[] = []): Record<string, string> {
  const labels = new Map<string, string>();
  for (const text of texts) {
    const [, key = "", value = ""] = /^([^=:]*)[=:](.*)$/s.exec(text) ?? [];
    const shown = JSON.stringify(text.slice(0, 80));
    if (key === "") throw invalid(`The label ${shown} is not key=value or key:value.`);
    if (labels.has(key))
      throw invalid(`The label ${JSON.stringify(key.slice(0, 80))} is given more than once.`);
    labels.set(key, value);
  }
  return Object.fromEntries(labels);
}

/** Node.js joins duplicate headers, which would make of two keys one that nobody chose. */
export function idempotencyKeyOf(header: string | readonly string[] | undefined): string {
  if (header === undefined) return "";
  if (typeof header === "string" && header !== "") return header;
  throw invalid("The header Idempotency-Key is empty or given more than once.");
}
