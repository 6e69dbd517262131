/** Copies an embedded installation to PostgreSQL: all rows in one transaction, or nothing. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../platform/failure.ts";
import { Database } from "./connection/database.ts";
import { postgresDriver } from "./connection/postgres.ts";
import { type Sender, statement } from "./connection/statement.ts";
import { DATABASE_FOLDER, embeddedDriver } from "./embedded/database.ts";
import { knownMigrations, migrate } from "./schema/migrations.ts";
import { CONTENT_TABLES, type ContentTable } from "./schema/tables.ts";
import { upgradeSchema } from "./upgrade.ts";

interface Table {
  /** Read order. */
  readonly order: string;
  /** Rows per statement: a row of "piece" has up to a megabyte. */
  readonly step: number;
  /** SQL of the row `t` to write. Replaces columns whose values are valid only in the source. */
  readonly row: string;
}

/**
 * Transaction ids are specific to a server. Event positions are therefore reset to 0, before all future ones. The
 * target has a new epoch, so that a resumed stream gets a snapshot.
 */
const TABLES: Readonly<Record<ContentTable, Table>> = {
  job: { order: "id", step: 500, row: `to_jsonb(t) || '{"changed": "0"}'` },
  work: { order: "id", step: 500, row: "to_jsonb(t)" },
  sample: { order: "job_id", step: 16, row: "to_jsonb(t)" },
  piece: { order: "work_id, attempt, number", step: 16, row: "to_jsonb(t)" },
  result_object: { order: "id", step: 500, row: "to_jsonb(t)" },
  still: { order: "job_id, frame, side", step: 4, row: "to_jsonb(t)" },
  clip: { order: "job_id, frame", step: 100, row: "to_jsonb(t)" },
  clip_piece: { order: "job_id, frame, number", step: 4, row: "to_jsonb(t)" },
  comparison: { order: "id", step: 100, row: "to_jsonb(t)" },
  comparison_cell: { order: "comparison_id, number", step: 500, row: "to_jsonb(t)" },
  upload: { order: "id", step: 500, row: "to_jsonb(t)" },
  upload_part: { order: "upload_id, number", step: 500, row: "to_jsonb(t)" },
  node: { order: "id", step: 100, row: `to_jsonb(t) || '{"offline": true}'` },
  audit: { order: "tenant_id, at, id", step: 500, row: "to_jsonb(t)" },
  revocation: { order: "id", step: 500, row: "to_jsonb(t)" },
  event: {
    order: "pos, id",
    step: 500,
    row: `to_jsonb(t) || jsonb_build_object('pos', '0', 'id', row_number() over (order by pos, id))`,
  },
};

/** Number of rows per table. */
export type Copied = Readonly<Record<string, number>>;

/**
 * Copies the embedded database of a directory to an empty PostgreSQL database. No other process may use the directory
 * meanwhile; it does not change, except that missing migrations are applied. Throws STORE_LOCKED, STORE_NOT_EMPTY,
 * STORE_UNAVAILABLE; the target then contains only the schema.
 */
export async function copyStore(dataDir: string, databaseUrl: string): Promise<Copied> {
  if (!existsSync(join(dataDir, DATABASE_FOLDER))) {
    throw new Failure("INVALID_REQUEST", `There is no embedded database in ${dataDir}.`);
  }
  await upgradeSchema(databaseUrl);
  const to = new Database(postgresDriver(databaseUrl));
  try {
    const from = new Database(embeddedDriver(dataDir));
    try {
      await migrate(from, knownMigrations());
      return await copyBetween(from, to);
    } finally {
      await from.close();
    }
  } finally {
    await to.close();
  }
}

/** One side is idle while the other works, for as long as the copy takes. */
const NO_LIMITS = [
  statement("set local statement_timeout = 0"),
  statement("set local idle_in_transaction_session_timeout = 0"),
];

async function copyBetween(from: Database, to: Database): Promise<Copied> {
  return from.transaction("owner", async (source) =>
    to.transaction("owner", async (target) => {
      for (const side of [source, target]) for (const limit of NO_LIMITS) await side.query(limit, []);
      await lockEmpty(target);
      const counts: Record<string, number> = {};
      for (const table of CONTENT_TABLES) counts[table] = await copyTable(source, target, table);
      await continueSequences(target);
      return counts;
    }),
  );
}

/** Locks the tables against other writers until the copy is committed. Throws STORE_NOT_EMPTY. */
async function lockEmpty(target: Sender): Promise<void> {
  const names = CONTENT_TABLES.map((name) => `svc.${name}`);
  await target.query(statement(`lock table ${names.join(", ")} in share row exclusive mode`), []);
  for (const name of names) {
    if ((await countOf(target, name)) === 0) continue;
    throw new Failure(
      "STORE_NOT_EMPTY",
      `The target database already has rows in ${name}; nothing was copied. Use an empty database.`,
    );
  }
}

async function countOf(sender: Sender, table: string): Promise<number> {
  const [row] = await sender.query<{ count: number }>(
    statement(`select count(*) as count from ${table}`),
    [],
  );
  return row?.count ?? 0;
}

async function copyTable(source: Sender, target: Sender, name: ContentTable): Promise<number> {
  const { order, step, row } = TABLES[name];
  const table = `svc.${name}`;
  const rows = `select (${row})::text as row from ${table} t order by ${order}`;
  await source.query(statement(`declare copied_${name} no scroll cursor for ${rows}`), []);
  const fetch = statement(`fetch ${step} from copied_${name}`);
  const put = statement(`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`);
  for (;;) {
    const batch = await source.query<{ row: string }>(fetch, []);
    if (batch.length === 0) break;
    await target.query(put, [`[${batch.map((one) => one.row).join(",")}]`]);
  }
  const [wanted, found] = [await countOf(source, table), await countOf(target, table)];
  if (wanted !== found) throw new Error(`${table} has ${wanted} rows, but ${found} were copied`);
  return found;
}

/** Continues the sequences of jobs, events and revocations after the copied rows. */
async function continueSequences(target: Sender): Promise<void> {
  for (const [table, column] of [
    ["job", "seq"],
    ["event", "id"],
  ] as const) {
    const sequence = `pg_get_serial_sequence('svc.${table}', '${column}')`;
    const last = `(select coalesce(max(${column}), 0) + 1 from svc.${table})`;
    await target.query(statement(`select setval(${sequence}, ${last}, false)`), []);
  }
  const latest = "(select coalesce(max(revision), 0) from svc.revocation)";
  await target.query(statement(`update svc.revocation_revision set latest = ${latest}`), []);
}
