/** Vacuums and checkpoints the embedded database, which has no background processes for it. */
import { BackOff } from "../../platform/concurrency/back-off.ts";
import { Background, pause } from "../../platform/concurrency/lifecycle.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import { TABLES } from "../schema/tables.ts";

/** Milliseconds between checks. */
const EVERY_MS = 5_000;
/**
 * Bytes of WAL after which the database is vacuumed and checkpointed. Both together block other statements for some
 * tens of milliseconds.
 */
const LOG_BYTES = 16 * 2 ** 20;
/** Longest pause in milliseconds. It doubles after failures, so that a blocking statement is not repeated at once. */
const LONGEST_PAUSE_MS = 300_000;

const WRITTEN = statement("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes");
const STEPS = [...TABLES.map((table) => statement(`vacuum svc.${table}`)), statement("checkpoint")];

/**
 * Returns the background work. Without it the WAL grows without bound, and claims skip ever more dead index entries.
 */
export function vacuumOf(database: Database, log: Log): Background {
  return new Background(async (signal, isStarted) => {
    isStarted();
    let done = 0;
    let pauseMs = EVERY_MS;
    const backOff = new BackOff(EVERY_MS * 2, LONGEST_PAUSE_MS, 0);
    for (await pause(pauseMs, signal); !signal.aborted; await pause(pauseMs, signal)) {
      try {
        const [row] = await database.query<{ bytes: string }>("owner", WRITTEN, []);
        const written = Number(row?.bytes ?? 0);
        if (written < done || written - done >= LOG_BYTES) {
          for (const step of STEPS) if (!signal.aborted) await database.query("owner", step, []);
          done = written;
          log.debug({ logBytes: written }, "vacuumed and checkpointed the embedded database");
        }
        pauseMs = EVERY_MS;
        backOff.reset();
      } catch (err) {
        pauseMs = backOff.next();
        log.warn({ err, pauseMs }, "failed to vacuum or checkpoint the embedded database; retrying");
      }
    }
  });
}
