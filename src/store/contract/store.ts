/**
 * The store of all persistent state. One SQL implementation runs on two databases, PostgreSQL and the embedded
 * PGlite; one conformance suite tests both.
 *
 * Every method is one atomic change that is durable when its promise resolves. Times are from the database clock.
 * Every method throws STORE_UNAVAILABLE if the database is unavailable. The change may then have been applied or not,
 * and the method can be called again with the same arguments.
 */

import type { AuditStore } from "./audit-store.ts";
import type { ComparisonStore } from "./comparison-store.ts";
import type { EventStore } from "./event-store.ts";
import type { JobStore } from "./job-store.ts";
import type { NodeStore } from "./node-store.ts";
import type { ResultStore } from "./result-store.ts";
import type { RevocationStore } from "./revocation-store.ts";
import type { Ready } from "./task-records.ts";
import type { WorkStore } from "./task-store.ts";
import type { UploadStore } from "./upload-store.ts";

/** A notification to every controller on this store. It can get lost; maintenance tasks then find the change. */
export type Announcement =
  /** Tasks are ready; an empty list: of any tenant and class. */
  | { readonly kind: "work"; readonly ready: readonly Ready[] }
  | { readonly kind: "events" }
  /** A running task of each of these tenants ended, so a tenant at its limit may get another one. */
  | { readonly kind: "freed"; readonly tenants: readonly string[] }
  /** Revocations have changed. */
  | { readonly kind: "revocations" }
  /** Leases ended by a cancel, a drain or a new registration: notify these nodes at once; an empty list: any node. */
  | { readonly kind: "news"; readonly nodeIds: readonly string[] };

export interface Store extends JobStore, WorkStore, NodeStore, EventStore, AuditStore {
  /** Revoked tokens. */
  readonly revocations: RevocationStore;
  /** Sets of jobs that are compared. */
  readonly comparisons: ComparisonStore;
  /** Uploads to the buckets of tenants. */
  readonly uploads: UploadStore;
  /** Stills and clips in the results storage. */
  readonly results: ResultStore;

  /** Throws STORE_UNAVAILABLE. */
  ping(): Promise<void>;
  /** Returns the time of the database, in milliseconds since 1970. */
  now(): Promise<number>;
  close(): Promise<void>;

  /**
   * Adds a listener; returns a function that removes it. Every change announces its effect by itself, at once in this
   * process and in the background to every other controller on this store.
   */
  onAnnouncement(listener: (announcement: Announcement) => void): () => void;
}
