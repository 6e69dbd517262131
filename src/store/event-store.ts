/** The part of the store that tells what happened to jobs, in order; what holds for the store holds for it. */
import type { EventPage } from "./event-records.ts";
import type { JobCursor, JobFilter, ListedJob } from "./job-records.ts";

export interface EventStore {
  /** Where a stream that starts now begins: everything after it is yet to come. */
  eventCursor(): Promise<string>;
  /**
   * Events of all tenants in the order in which they count, after a cursor. The cursor stays as it
   * is when there are none; a page may be short, or empty, and others follow. undefined: the cursor
   * is of another installation, or older than the events that are kept.
   */
  eventsAfter(cursor: string, limit: number): Promise<EventPage | undefined>;
  /** The same of one tenant's events, which row-level security keeps to its own. */
  tenantEventsAfter(tenant: string, cursor: string, limit: number): Promise<EventPage | undefined>;
  /**
   * A page of a stream's snapshot; like listJobs, but that a page may be short, and others follow: an empty one is the
   * last. `ambiguous`: it changed after the cursor, so an event of it may follow that it holds already.
   */
  snapshot(
    tenant: string,
    filter: JobFilter,
    after: JobCursor | undefined,
    limit: number,
    cursor: string,
  ): Promise<readonly { job: ListedJob; ambiguous: boolean }[]>;

  // A sweep: any controller may run it at any time.

  deleteEvents(olderThanMs: number, limit: number): Promise<number>;
}
