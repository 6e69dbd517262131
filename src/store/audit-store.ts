/** The part of the store that keeps the audit log; what holds for the store holds for it. */
import type { AuditRecord } from "../audit/record.ts";
import type { AuditCursor, AuditFilter, AuditPage } from "./audit-records.ts";

export interface AuditStore {
  /** Adds records of any tenants; those that are there already stay as they are. */
  insertAudit(records: readonly AuditRecord[]): Promise<void>;
  /** A page of a tenant's records, newest first. */
  listAudit(
    tenant: string,
    filter: AuditFilter,
    after: AuditCursor | undefined,
    limit: number,
  ): Promise<AuditPage>;

  // A sweep: any controller may run it at any time.

  /** Deletes records of the audit log. */
  deleteAudit(olderThanMs: number, limit: number): Promise<number>;
}
