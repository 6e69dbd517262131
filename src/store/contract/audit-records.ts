/** Queries of the audit log and their results. */
import type { AuditRecord } from "../../audit/record.ts";

export interface AuditFilter {
  /** Start, inclusive; milliseconds since 1970. */
  readonly sinceMs?: number;
  /** End, exclusive; milliseconds since 1970. */
  readonly untilMs?: number;
  readonly subject?: string;
  readonly operation?: string;
  readonly outcome?: string;
  /** Matches records that have it among their targets. */
  readonly target?: string;
}

/** Cursor in the audit log, newest first: the last record of the previous page. */
export interface AuditCursor {
  readonly timeMs: number;
  readonly id: string;
}

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** Start of the next page; undefined: this is the last page. Any page can be short or empty. */
  readonly next: AuditCursor | undefined;
}
