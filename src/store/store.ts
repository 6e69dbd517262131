/**
 * The store: everything that must survive. One implementation in SQL over two databases,
 * PostgreSQL and the embedded PGlite; one conformance suite passes on both.
 *
 * Every method is one atomic change, durable when its promise resolves. Time is the database's.
 * A database that cannot be reached makes every method throw STORE_UNAVAILABLE; the change may
 * then have happened or not, and every method can be called again with the same arguments.
 */

import type { AuditStore } from "./audit-store.ts";
import type { EventStore } from "./event-store.ts";
import type { JobStore } from "./job-store.ts";
import type { NodeStore } from "./node-store.ts";
import type { RevocationStore } from "./revocation-store.ts";
import type { Ready } from "./work-records.ts";
import type { WorkStore } from "./work-store.ts";

/** What happened, told to every controller on this store; a hint, not a promise: sweeps find what it misses. */
export type Announcement =
  /** Work is ready; none named: it may be anywhere. */
  | { readonly kind: "work"; readonly ready: readonly Ready[] }
  | { readonly kind: "events" }
  /** Of each of these tenants a piece of work ended that ran: one that was at its limit may have another. */
  | { readonly kind: "freed"; readonly tenants: readonly string[] }
  /** What is revoked has changed. */
  | { readonly kind: "revocations" }
  /** Leases ended by a cancel, a drain or a new registration: nodes must hear of it at once; none named: it may be any. */
  | { readonly kind: "news"; readonly nodeIds: readonly string[] };

export interface Store extends JobStore, WorkStore, NodeStore, EventStore, AuditStore {
  /** Which tokens are taken back. */
  readonly revocations: RevocationStore;

  /** Throws STORE_UNAVAILABLE. */
  ping(): Promise<void>;
  /** The database's clock, in milliseconds since 1970. */
  now(): Promise<number>;
  close(): Promise<void>;

  // Announcements between controllers.

  /** Tells every controller on this store, this one included, soon; never fails. */
  announce(announcement: Announcement): void;
  /** Returns what stops it. */
  onAnnouncement(listener: (announcement: Announcement) => void): () => void;
}
