/** The audit log in the store. The rules of Store apply. */
import type { AuditRecord } from "../../audit/record.ts";
import type { AuditCursor, AuditFilter, AuditPage } from "./audit-records.ts";

export interface AuditStore {
  /** Adds records of any tenants; records that are already stored do not change. */
  insertAudit(records: readonly AuditRecord[]): Promise<void>;
  /** Returns a page of a tenant's records, newest first. */
  listAudit(
    tenant: string,
    filter: AuditFilter,
    after: AuditCursor | undefined,
    limit: number,
  ): Promise<AuditPage>;

  // A maintenance task: any controller may run it at any time.

  /** Deletes old records of the audit log; returns their number. */
  deleteAudit(olderThanMs: number, limit: number): Promise<number>;
}
