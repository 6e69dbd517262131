/** Upkeep of the embedded database, which has no processes of its own that would do it. */
import { BackOff } from "../platform/back-off.ts";
import { Background, pause } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import type { Database } from "./database.ts";
import { statement } from "./statement.ts";
import { TABLES } from "./tables.ts";

export interface Upkeep {
  /** Milliseconds between looks. */
  readonly everyMs: number;
  /** Bytes written to the log of changes after which dead rows are removed and the log is cut off. */
  readonly logBytes: number;
}

/** Both statements together hold others up for some tens of milliseconds. */
const USUAL: Upkeep = { everyMs: 5_000, logBytes: 16 * 2 ** 20 };

/** After failures the pause doubles up to this, in milliseconds: what holds everybody up is not repeated at once. */
const LONGEST_PAUSE_MS = 300_000;

const WRITTEN = statement("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes");
const STEPS = [...TABLES.map((table) => statement(`vacuum svc.${table}`)), statement("checkpoint")];

/** Without it the log grows without end, and claims step over ever more dead entries. */
export function upkeepOf(database: Database, log: Log, { everyMs, logBytes } = USUAL): Background {
  return new Background(async (signal, isStarted) => {
    isStarted();
    let done = 0;
    let pauseMs = everyMs;
    const backOff = new BackOff(everyMs * 2, LONGEST_PAUSE_MS, 0);
    for (await pause(pauseMs, signal); !signal.aborted; await pause(pauseMs, signal)) {
      try {
        const [row] = await database.query<{ bytes: string }>("owner", WRITTEN, []);
        const written = Number(row?.bytes ?? 0);
        if (written < done || written - done >= logBytes) {
          for (const step of STEPS) if (!signal.aborted) await database.query("owner", step, []);
          done = written;
          log.debug({ logBytes: written }, "dead rows are removed and the log of changes is cut off");
        }
        pauseMs = everyMs;
        backOff.reset();
      } catch (err) {
        pauseMs = backOff.next();
        log.warn({ err, pauseMs }, "the upkeep of the embedded database failed; it is tried again");
      }
    }
  });
}
