/** The operations on comparisons that the transports call. */
import { create } from "@bufbuild/protobuf";
import {
  AddCellsResponseSchema,
  CancelComparisonResponseSchema,
  type Comparison,
  DeleteComparisonResponseSchema,
  GetComparisonResponseSchema,
  ListComparisonsResponseSchema,
  RetryCellsResponseSchema,
  SubmitComparisonResponseSchema,
} from "../../gen/proto/svc/v1/comparison_pb.ts";
import type { Store } from "../../store/contract/store.ts";
import { ownComparison } from "../api/access.ts";
import type { CallContext, ComparisonOperations } from "../api/operations.ts";
import type { Submission } from "../jobs/submit.ts";
import { comparisonMessage, listedComparison } from "../messages/comparison.ts";
import { pageOf, pageSizeOf, readPageToken } from "../requests/page-token.ts";
import { addCells, cancelCells, retryCells, submitComparison } from "./changes.ts";
import { getTrend } from "./trend.ts";

/** Identifies the list in page tokens; it has no filters. */
const LIST = "comparisons";

export function comparisonOperations(submission: Submission): ComparisonOperations {
  const { store } = submission;
  return {
    async submitComparison(request, { principal, entry }) {
      const { id, created } = await submitComparison(request, principal, submission);
      if (!created) entry?.changedNothing();
      const comparison = await readComparison(store, principal.tenant, id);
      return create(SubmitComparisonResponseSchema, { comparison, existed: !created });
    },
    async getComparison({ id }, { principal }) {
      return create(GetComparisonResponseSchema, {
        comparison: await readComparison(store, principal.tenant, id),
      });
    },
    async listComparisons({ pageSize, pageToken: token }, { principal }) {
      const size = pageSizeOf(pageSize);
      const after = readPageToken(token, LIST);
      const rows = await store.comparisons.list(principal.tenant, after, size + 1);
      const { page, nextPageToken } = pageOf(rows, size, LIST);
      return create(ListComparisonsResponseSchema, {
        comparisons: page.map(listedComparison),
        nextPageToken,
      });
    },
    getTrend: (request, { principal }) => getTrend(store.comparisons, principal.tenant, request),
    async addCells(request, { principal, entry }) {
      const added = await addCells(request, principal, submission);
      return create(AddCellsResponseSchema, {
        added,
        ...(await changed(store, request, principal, added, entry)),
      });
    },
    async retryCells(request, { principal, entry }) {
      const retried = await retryCells(request, principal, submission);
      const rest = await changed(store, request, principal, retried, entry);
      return create(RetryCellsResponseSchema, { retried, ...rest });
    },
    async cancelComparison(request, { principal, entry }) {
      const cancelled = await cancelCells(request.id, principal.tenant, submission);
      const rest = await changed(store, request, principal, cancelled, entry);
      return create(CancelComparisonResponseSchema, { cancelled, ...rest });
    },
    async deleteComparison({ id }, { principal: { tenant } }) {
      const comparison = await readComparison(store, tenant, id);
      await store.comparisons.deleteComparison(tenant, id);
      return create(DeleteComparisonResponseSchema, { comparison });
    },
  };
}

/** Returns the comparison after a change of `count` cells. */
async function changed(
  store: Store,
  { id }: { readonly id: string },
  { tenant }: CallContext["principal"],
  count: number,
  entry: CallContext["entry"],
): Promise<{ readonly comparison: Comparison }> {
  if (count === 0) entry?.changedNothing();
  return { comparison: await readComparison(store, tenant, id) };
}

async function readComparison(store: Store, tenant: string, id: string): Promise<Comparison> {
  const detail = await ownComparison(store, id, (own) => store.comparisons.find(tenant, own));
  return comparisonMessage(detail);
}
