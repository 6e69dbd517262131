/** Opens the store: the embedded database of a directory, or a PostgreSQL server. */
import type { Log } from "../platform/observability/log.ts";
import { Database } from "./connection/database.ts";
import { postgresDriver } from "./connection/postgres.ts";
import type { Store } from "./contract/store.ts";
import { embeddedDriver } from "./embedded/database.ts";
import { vacuumOf } from "./embedded/vacuum.ts";
import { openListener } from "./events/listener.ts";
import { Announcements, announcementOf } from "./events/notifications.ts";
import { knownMigrations, migrate } from "./schema/migrations.ts";
import { sqlStore } from "./sql-store.ts";
import { upgradeSchema } from "./upgrade.ts";

export type StoreTarget =
  /** Directory of the embedded database; created if needed. */
  | { readonly dataDir: string }
  /** postgres://USER:PASSWORD@HOST:PORT/DATABASE, of PostgreSQL 15 or newer. */
  | { readonly databaseUrl: string };

/**
 * Opens a store and migrates its schema. Throws STORE_UNAVAILABLE, STORE_LOCKED if another process uses the
 * directory, SCHEMA_TOO_NEW and SCHEMA_REFUSED.
 */
export async function openStore(target: StoreTarget, log: Log): Promise<Store> {
  return "dataDir" in target ? openEmbedded(target.dataDir, log) : openPostgres(target.databaseUrl, log);
}

async function openEmbedded(directory: string, log: Log): Promise<Store> {
  const database = new Database(embeddedDriver(directory, log));
  try {
    logApplied(await migrate(database, knownMigrations()), log);
  } catch (error) {
    await database.close();
    throw error;
  }
  const vacuum = vacuumOf(database, log);
  vacuum.start();
  return sqlStore(database, new Announcements(() => {}), [vacuum]);
}

async function openPostgres(databaseUrl: string, log: Log): Promise<Store> {
  logApplied(await upgradeSchema(databaseUrl), log);
  const database = new Database(postgresDriver(databaseUrl));
  const announcements = new Announcements((payloads) => listener.send(payloads));
  const onPayload = (payload: string) => {
    const announcement = announcementOf(payload);
    if (announcement !== undefined) announcements.receive(announcement);
  };
  const onReconnect = () => {
    announcements.receive({ kind: "work", ready: [] });
    announcements.receive({ kind: "events" });
    announcements.receive({ kind: "revocations" });
    announcements.receive({ kind: "news", nodeIds: [] });
  };
  const listener = openListener(databaseUrl, log, onPayload, onReconnect);
  await listener.started;
  return sqlStore(database, announcements, [{ stop: async () => listener.close() }]);
}

function logApplied(migrations: readonly string[], log: Log): void {
  if (migrations.length > 0) log.info({ migrations }, "migrated the database schema");
}
