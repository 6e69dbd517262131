/** The list of a tenant's jobs, newest first, in pages. */
import { create } from "@bufbuild/protobuf";
import {
  type ListJobsRequest,
  type ListJobsResponse,
  ListJobsResponseSchema,
} from "../gen/proto/svc/v1/job_pb.ts";
import type { JobRow } from "../store/job-records.ts";
import type { JobStore } from "../store/job-store.ts";
import { filterOf } from "./filter.ts";
import { jobMessage } from "./job-message.ts";
import { jobList, pageOf, pageSizeOf, readPageToken } from "./page-token.ts";

/** Characters of all specs of a page: labels can be so many that 500 jobs are 17 MB, which an answer holds until it is read. */
const MOST_CHARS = 2 * 1024 * 1024;

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
  const { page, nextPageToken } = pageOf(rows, Math.min(size, fitting(rows)), list);
  const now = Date.now();
  return create(ListJobsResponseSchema, {
    jobs: page.map((row) => jobMessage(row, now)),
    nextPageToken,
  });
}

/** How many of them make a page that is not too long; one always does. */
function fitting(rows: readonly JobRow[]): number {
  let chars = 0;
  for (const [index, { spec }] of rows.entries()) {
    chars += spec.length;
    if (chars > MOST_CHARS) return Math.max(1, index);
  }
  return rows.length;
}
