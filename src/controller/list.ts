/** The list of a tenant's jobs, newest first, in pages. */
import { create } from "@bufbuild/protobuf";
import {
  type ListJobsRequest,
  type ListJobsResponse,
  ListJobsResponseSchema,
} from "../gen/proto/svc/v1/job_pb.ts";
import type { JobStore } from "../store/job-store.ts";
import { filterOf } from "./filter.ts";
import { jobMessage } from "./job-message.ts";
import { jobList, pageOf, pageSizeOf, readPageToken } from "./page-token.ts";

/** Throws INVALID_REQUEST. */
export async function listJobs(
  store: JobStore,
  tenant: string,
  { states, labels, pageSize, pageToken: token }: ListJobsRequest,
): Promise<ListJobsResponse> {
  const filter = filterOf({ states, labels });
  const size = pageSizeOf(pageSize);
  const list = jobList(filter);
  const rows = await store.listJobs(tenant, filter, readPageToken(token, list), size + 1);
  const { page, nextPageToken } = pageOf(rows, size, list);
  const now = Date.now();
  return create(ListJobsResponseSchema, {
    jobs: page.map((row) => jobMessage(row, now)),
    nextPageToken,
  });
}
