/** Submits comparisons, adds cells, retries cells and cancels their jobs. The rules of all jobs apply to these jobs. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../../auth/principal.ts";
import type {
  AddCellsRequest,
  RetryCellsRequest,
  SubmitComparisonRequest,
} from "../../gen/proto/svc/v1/comparison_pb.ts";
import type { JobSpec } from "../../gen/proto/svc/v1/job_pb.ts";
import { keysOf, pairKey } from "../../jobs/media/pair-key.ts";
import { MAX_CELLS } from "../../jobs/request-limits.ts";
import { Failure } from "../../platform/failure.ts";
import type {
  CellJobs,
  CellPair,
  CellRow,
  ComparisonDetail,
  NewCell,
} from "../../store/contract/comparison-records.ts";
import type { JobCursor, NewJob } from "../../store/contract/job-records.ts";
import type { Store } from "../../store/contract/store.ts";
import { ownComparison } from "../api/access.ts";
import { submitList } from "../jobs/batch.ts";
import type { Submission } from "../jobs/submit.ts";
import { cellSpec, checkComparison, checkPairs, settingsText } from "../requests/comparison-request.ts";
import { readSpec } from "../requests/job-spec.ts";

interface Submitted {
  readonly id: string;
  readonly created: boolean;
}

/** Stores a comparison with its jobs, or returns the existing one. Throws Failure. */
export async function submitComparison(
  request: SubmitComparisonRequest,
  principal: Principal,
  submission: Submission,
): Promise<Submitted> {
  const { tenant, subject } = principal;
  const { store, defaultModelsOf, findingsOf } = submission;
  const checked = checkComparison(request, defaultModelsOf(tenant), findingsOf(tenant));
  const { name, anchor, groupBy, settings, pairs, key, fingerprint } = checked;
  const known = key === undefined ? undefined : await store.comparisons.withKey(tenant, key);
  if (known?.fingerprint === fingerprint) return { id: known.comparison.id, created: false };
  const row = { id: randomUUID(), name, anchor, groupBy, settings: settingsText(settings), fingerprint };
  const comparison = { ...row, idempotencyKey: key, submittedBy: subject };
  let submitted: Submitted = { id: row.id, created: true };
  const insert = async (jobs: readonly NewJob[]): Promise<CellJobs> => {
    const { jobs: stored, ...outcome } = await store.comparisons.insert(
      tenant,
      comparison,
      cellsOf(pairs, jobs),
    );
    submitted = outcome;
    return stored;
  };
  const specs = pairs.map((pair) => cellSpec(settings, pair));
  await submitList((index) => `pairs[${index}]`, specs, principal, submission, insert);
  return submitted;
}

/** `jobs`: the jobs of the pairs, in the same order. */
function cellsOf(pairs: readonly CellPair[], jobs: readonly NewJob[]): readonly NewCell[] {
  return jobs.flatMap((job, index) => {
    const pair = pairs[index];
    return pair === undefined ? [] : [{ pair, job }];
  });
}

/** Adds cells and returns their number. Throws Failure. */
export async function addCells(
  request: AddCellsRequest,
  principal: Principal,
  submission: Submission,
): Promise<number> {
  const { tenant } = principal;
  const { store } = submission;
  const { comparison, cells } = await detailOf(request.id, tenant, store);
  const pairs = checkPairs(request.pairs);
  const existing = keysOf(cells);
  const numbered = [...pairs.entries()].filter(([, pair]) => !existing.has(pairKey(pair)));
  const fresh = numbered.map(([, pair]) => pair);
  const settings = readSpec(comparison.settings);
  return submitCells(
    (index) => `pairs[${numbered[index]?.[0]}]`,
    fresh.map((pair) => cellSpec(settings, pair)),
    principal,
    submission,
    (jobs) => store.comparisons.addCells(tenant, comparison.id, cellsOf(fresh, jobs), MAX_CELLS),
  );
}

/** Gives cells new jobs and returns their number. Throws Failure. */
export async function retryCells(
  request: RetryCellsRequest,
  principal: Principal,
  submission: Submission,
): Promise<number> {
  const { tenant } = principal;
  const { store } = submission;
  const { comparison, cells } = await detailOf(request.id, tenant, store);
  const asked = new Set(request.cells);
  const chosen = cells.filter((cell) => (asked.size === 0 || asked.has(cell.number)) && canRetry(cell));
  const settings = readSpec(comparison.settings);
  return submitCells(
    (index) => `cell ${chosen[index]?.number}`,
    chosen.map((cell) => cellSpec(settings, cell)),
    principal,
    submission,
    (jobs) =>
      store.comparisons.replaceJobs(
        tenant,
        comparison.id,
        chosen.flatMap(({ number, jobId: before }, index) => {
          const job = jobs[index];
          return job === undefined ? [] : [{ number, before, job }];
        }),
      ),
  );
}

function canRetry({ job }: CellRow): boolean {
  return job === undefined || job.state === "FAILED" || job.state === "CANCELLED";
}

/** Stores jobs of cells and returns how many are new. */
async function submitCells(
  nameOf: (index: number) => string,
  specs: readonly JobSpec[],
  principal: Principal,
  submission: Submission,
  put: (jobs: readonly NewJob[]) => Promise<{ readonly jobs: CellJobs } | undefined>,
): Promise<number> {
  if (specs.length === 0) return 0;
  let created = 0;
  await submitList(nameOf, specs, principal, submission, async (jobs) => {
    const stored = await put(jobs);
    if (stored === undefined)
      throw new Failure("COMPARISON_NOT_FOUND", "The comparison was deleted meanwhile.");
    created = stored.jobs.filter((one) => one?.created).length;
    return stored.jobs;
  });
  return created;
}

/** Cancels the jobs that have not ended and returns their number. Throws Failure. */
export async function cancelCells(
  id: string,
  tenant: string,
  { store, metrics }: Pick<Submission, "store" | "metrics">,
): Promise<number> {
  const { cells } = await detailOf(id, tenant, store);
  const open = cells.filter(({ job }) => job?.state === "QUEUED" || job?.state === "RUNNING");
  const filter = { ids: open.map(({ jobId }) => jobId) };
  let cancelled = 0;
  for (let after: JobCursor | undefined; filter.ids.length > 0; ) {
    const { jobs, next } = await store.cancelSome(tenant, filter, after);
    cancelled += jobs.length;
    if (next === undefined) break;
    after = next;
  }
  metrics.ended.inc({ state: "CANCELLED" }, cancelled);
  return cancelled;
}

async function detailOf(id: string, tenant: string, store: Store): Promise<ComparisonDetail> {
  return ownComparison(store, id, (own) => store.comparisons.find(tenant, own));
}
