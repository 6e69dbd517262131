/** Lists a tenant's jobs in pages. */
import { create } from "@bufbuild/protobuf";
import {
  type ListJobsRequest,
  type ListJobsResponse,
  ListJobsResponseSchema,
  ListJobsRequest_Sort as Sort,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { invalid } from "../../platform/failure.ts";
import type { JobRow, JobSort } from "../../store/contract/job-records.ts";
import type { JobStore } from "../../store/contract/job-store.ts";
import { jobMessage } from "../messages/job.ts";
import { filterOf } from "../requests/filter.ts";
import { jobList, pageOf, pageSizeOf, readPageToken } from "../requests/page-token.ts";

/**
 * Maximum characters of all specs of a page. With large labels 500 jobs are 17 MB, which stay in memory until the
 * response is read.
 */
const MAX_CHARS = 2 * 1024 * 1024;

/** Throws INVALID_REQUEST. */
export async function listJobs(
  store: JobStore,
  tenant: string,
  request: ListJobsRequest,
): Promise<ListJobsResponse> {
  const filter = filterOf(request);
  const size = pageSizeOf(request.pageSize);
  const sort = sortOf(request.sort);
  const list = jobList(filter, sort);
  const after = readPageToken(request.pageToken, list);
  const rows = await store.listJobs(tenant, filter, after, size + 1, sort);
  const { page, nextPageToken } = pageOf(rows, Math.min(size, fitting(rows)), list);
  const now = Date.now();
  return create(ListJobsResponseSchema, {
    jobs: page.map((row) => jobMessage(row, now)),
    nextPageToken,
  });
}

const SORTS: Readonly<Record<number, JobSort>> = {
  [Sort.SORT_UNSPECIFIED]: "NEWEST",
  [Sort.NEWEST]: "NEWEST",
  [Sort.OLDEST]: "OLDEST",
  [Sort.LAST_ENDED]: "LAST_ENDED",
  [Sort.FIRST_ENDED]: "FIRST_ENDED",
};

function sortOf(sort: Sort): JobSort {
  const known = SORTS[sort];
  if (known !== undefined) return known;
  const names = [...new Set(Object.values(SORTS))].join(", ");
  throw invalid(`sort is ${sort}, which is not an order. Use ${names}.`);
}

/** Returns how many of the rows fit in a page; at least one. */
function fitting(rows: readonly JobRow[]): number {
  let chars = 0;
  for (const [index, { spec }] of rows.entries()) {
    chars += spec.length;
    if (chars > MAX_CHARS) return Math.max(1, index);
  }
  return rows.length;
}
