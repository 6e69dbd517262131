/** Questions to the audit log, and its answers. */
import type { AuditRecord } from "../audit/record.ts";

export interface AuditFilter {
  /** Milliseconds since 1970: not before. */
  readonly sinceMs?: number;
  /** Milliseconds since 1970: before. */
  readonly untilMs?: number;
  readonly subject?: string;
  readonly operation?: string;
  readonly outcome?: string;
  /** One of the targets. */
  readonly target?: string;
}

/** Place in the audit log, newest first: the last record of the page before. */
export interface AuditCursor {
  readonly timeMs: number;
  readonly id: string;
}

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** Where the next page begins; undefined: there is none. A page may be short, or empty, and others follow. */
  readonly next: AuditCursor | undefined;
}
