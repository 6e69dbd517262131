/** Events of jobs in the store, in order. The rules of Store apply. */
import type { EventPage } from "./event-records.ts";
import type { JobCursor, JobFilter, ListedJob } from "./job-records.ts";

export interface EventStore {
  /** Returns the cursor of a stream that starts now: all later events come after it. */
  eventCursor(): Promise<string>;
  /**
   * Returns the events of all tenants after a cursor, in order. Without new events the cursor does not change. A page
   * can be short or empty although more events follow. undefined: the cursor is from another installation or older
   * than the retained events.
   */
  eventsAfter(cursor: string, limit: number): Promise<EventPage | undefined>;
  /** The same for the events of one tenant, enforced by row-level security. */
  tenantEventsAfter(tenant: string, cursor: string, limit: number): Promise<EventPage | undefined>;
  /**
   * Returns a page of a stream's snapshot, as listJobs does, except that a page can be short: only an empty one is the
   * last. `ambiguous`: the job changed after the cursor, so a following event may already be included in it.
   */
  snapshot(
    tenant: string,
    filter: JobFilter,
    after: JobCursor | undefined,
    limit: number,
    cursor: string,
  ): Promise<readonly { job: ListedJob; ambiguous: boolean }[]>;

  // A maintenance task: any controller may run it at any time.

  deleteEvents(olderThanMs: number, limit: number): Promise<number>;
}
