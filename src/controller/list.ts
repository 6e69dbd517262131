/** The list of a tenant's jobs, newest first, in pages. */
import { create } from "@bufbuild/protobuf";
import {
  type ListJobsRequest,
  type ListJobsResponse,
  ListJobsResponseSchema,
} from "../gen/proto/svc/v1/job_pb.ts";
import { invalid } from "../platform/failure.ts";
import type { JobStore } from "../store/job-store.ts";
import { filterOf } from "./filter.ts";
import { jobMessage } from "./job-message.ts";
import { jobList, pageToken, readPageToken } from "./page-token.ts";

const DEFAULT_PAGE = 50;
const MAX_PAGE = 500;

/** Throws INVALID_REQUEST. */
export async function listJobs(
  store: JobStore,
  tenant: string,
  { states, labels, pageSize, pageToken: token }: ListJobsRequest,
): Promise<ListJobsResponse> {
  const filter = filterOf({ states, labels });
  if (pageSize > MAX_PAGE) throw invalid(`pageSize is ${pageSize}. Use 1 to ${MAX_PAGE}.`);
  const size = pageSize || DEFAULT_PAGE;
  const list = jobList(filter);
  const rows = await store.listJobs(tenant, filter, readPageToken(token, list), size + 1);
  const page = rows.slice(0, size);
  const last = page.at(-1);
  const now = Date.now();
  return create(ListJobsResponseSchema, {
    jobs: page.map((row) => jobMessage(row, now)),
    nextPageToken: rows.length > size && last ? pageToken(last, list) : "",
  });
}
