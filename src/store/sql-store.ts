/** The SQL implementation of the store, composed of its topics. */
import { deleteAudit, insertAudit, listAudit } from "./audit/audit.ts";
import { comparisonStore } from "./comparisons/store.ts";
import { bound } from "./connection/bound.ts";
import type { Database } from "./connection/database.ts";
import { statement } from "./connection/statement.ts";
import type { Store } from "./contract/store.ts";
import { ClaimCursors } from "./effects/claim-cursors.ts";
import { Effects } from "./effects/effects.ts";
import { eventStore } from "./events/events.ts";
import type { Announcements } from "./events/notifications.ts";
import { deleteEvents } from "./jobs/retention.ts";
import { jobStore } from "./jobs/store.ts";
import { nodeStore } from "./nodes/store.ts";
import { resultStore } from "./results/store.ts";
import { revocationStore } from "./revocations/revocations.ts";
import { workStore } from "./tasks/store.ts";
import { uploadStore } from "./uploads/uploads.ts";

const PING = statement("select 1");
const CLOCK = statement("select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms");

/** A background activity that stops with the store. */
export interface Companion {
  stop(): Promise<void>;
}

export function sqlStore(
  database: Database,
  announcements: Announcements,
  companions: readonly Companion[],
): Store {
  const cursors = new ClaimCursors();
  const effects = new Effects(cursors, announcements);
  return {
    ...jobStore(database, cursors, effects),
    ...workStore(database, cursors, effects),
    ...nodeStore(database, effects),
    ...eventStore(database),
    ...bound(database, { deleteEvents, insertAudit, listAudit, deleteAudit }),
    revocations: revocationStore(database, effects),
    comparisons: comparisonStore(database, cursors, effects),
    uploads: uploadStore(database),
    results: resultStore(database),
    onAnnouncement: (listener) => announcements.onAnnouncement(listener),
    async ping() {
      await database.query("fleet", PING, []);
    },
    async now() {
      const [row] = await database.query<{ ms: number }>("fleet", CLOCK, []);
      if (row === undefined) throw new Error("the database returned no time");
      return row.ms;
    },
    async close() {
      announcements.close();
      await Promise.all(companions.map(async (companion) => companion.stop()));
      await database.close();
    },
  };
}
