/** What every connection of the store is set to. */
import pg, { type CustomTypesConfig } from "pg";

/**
 * Whole numbers as numbers: none of ours reaches 2^53, positions of events (xid8) stay text.
 * Everything else as pg reads it.
 */
export const TYPES: CustomTypesConfig = {
  getTypeParser: ((oid, format) =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format)) as CustomTypesConfig["getTypeParser"],
};

/** Longest statement, in milliseconds; nothing of ours comes near. */
const STATEMENT_LIMIT_MS = 30_000;
/** Longest wait for a lock, in milliseconds. */
export const LOCK_LIMIT_MS = 10_000;
const IDLE_IN_TRANSACTION_LIMIT_MS = 10_000;

/**
 * Every statement of the store looks rows up by index and is prepared. Its plan says so from the
 * start and stays, whatever the statistics are: those of an empty table, or none as in the
 * embedded database, would make it read whole tables when they have grown.
 */
export const SESSION_SETTINGS = `
  set search_path = svc;
  set statement_timeout = ${STATEMENT_LIMIT_MS};
  set lock_timeout = ${LOCK_LIMIT_MS};
  set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_LIMIT_MS};
  set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off;
  set enable_bitmapscan = off;
  set enable_hashjoin = off;
  set enable_mergejoin = off;
  set jit = off;`;
