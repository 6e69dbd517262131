/** Comparisons in the store, as their tenants see them. The rules of Store apply. */
import type {
  CellJobs,
  ComparisonDetail,
  ComparisonRow,
  LabelledScore,
  ListedComparison,
  NewCell,
  NewComparison,
  ReplacedCell,
} from "./comparison-records.ts";
import type { JobCursor } from "./job-records.ts";

export interface ComparisonStore {
  // These methods are for one tenant: row-level security limits them to its rows.

  /**
   * Stores a comparison with the jobs of its cells, or returns the existing one with the same idempotency key and
   * fingerprint, in which case no job is stored. Throws IDEMPOTENCY_CONFLICT.
   */
  insert(
    tenant: string,
    comparison: NewComparison,
    cells: readonly NewCell[],
  ): Promise<{ readonly id: string; readonly created: boolean; readonly jobs: CellJobs }>;
  /** Returns the latest succeeded jobs with a label of that key and all of these labels, at most `limit`; no estimates. */
  scoresWith(
    tenant: string,
    key: string,
    labels: Readonly<Record<string, string>>,
    limit: number,
  ): Promise<readonly LabelledScore[]>;
  /**
   * Adds cells with their jobs, except those whose pair already exists. Adds none, and throws
   * INVALID_REQUEST, if there would be more than `most`. Returns undefined if the comparison is unknown or
   * another tenant's.
   */
  addCells(
    tenant: string,
    id: string,
    cells: readonly NewCell[],
    most: number,
  ): Promise<{ readonly jobs: CellJobs } | undefined>;
  /** Gives cells new jobs. Returns undefined if the comparison is unknown or another tenant's. */
  replaceJobs(
    tenant: string,
    id: string,
    cells: readonly ReplacedCell[],
  ): Promise<{ readonly jobs: CellJobs } | undefined>;
  /** Returns undefined if the comparison is unknown or another tenant's. */
  find(tenant: string, id: string): Promise<ComparisonDetail | undefined>;
  /** Returns the comparison with an idempotency key, and the fingerprint of its request. */
  withKey(
    tenant: string,
    key: string,
  ): Promise<{ readonly comparison: ComparisonRow; readonly fingerprint: string } | undefined>;
  /**
   * Deletes a comparison, but none of its jobs. Returns false if the comparison is unknown or another
   * tenant's.
   */
  deleteComparison(tenant: string, id: string): Promise<boolean>;
  /** Lists comparisons, newest first. */
  list(tenant: string, after: JobCursor | undefined, limit: number): Promise<readonly ListedComparison[]>;

  // These methods are for all tenants.

  /** Returns the tenant of any comparison; undefined: unknown comparison. */
  tenantOf(id: string): Promise<string | undefined>;
  /**
   * Deletes older comparisons that have no job left; returns their number. Maintenance task: any controller may run it
   * at any time.
   */
  deleteEmpty(olderThanMs: number, limit: number): Promise<number>;
}
