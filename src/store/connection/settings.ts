/** Settings of every connection of the store. */
import pg, { type CustomTypesConfig } from "pg";

/**
 * Parses bigint as number: no value in the schema reaches 2^53. Positions of events (xid8) stay text. All
 * other types are parsed as pg does.
 */
export const TYPES: CustomTypesConfig = {
  getTypeParser: ((oid, format) =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format)) as CustomTypesConfig["getTypeParser"],
};

/** Statement timeout in milliseconds; no statement comes near it. */
const STATEMENT_LIMIT_MS = 30_000;
/** Lock timeout in milliseconds. */
export const LOCK_LIMIT_MS = 10_000;
const IDLE_IN_TRANSACTION_LIMIT_MS = 10_000;

/**
 * Every statement is prepared and finds its rows by index. These settings force index plans from the start,
 * independent of statistics: with those of an empty table, or with none as in the embedded database, the planner
 * would choose sequential scans and keep them when the tables have grown.
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
