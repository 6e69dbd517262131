/** Migrates the schema: applies each migrations/NNNN_NAME.sql once, in order, and records its checksum. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { Failure } from "../../platform/failure.ts";
import type { Database } from "../connection/database.ts";
import { FORBIDDEN, sqlState } from "../connection/faults.ts";
import { LOCK_LIMIT_MS } from "../connection/settings.ts";
import { type Sender, statement } from "../connection/statement.ts";

const FOLDER = new URL("../../../migrations/", import.meta.url);
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
/** Key of the advisory lock that serializes migrations: "svc" in ASCII. */
const LOCK = 0x73_76_63;

export interface Migration {
  /** Starts at 1, without gaps. */
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hex. */
  readonly checksum: string;
}

/** Reads the migrations of this program, in order. */
export function knownMigrations(): readonly Migration[] {
  const names = readdirSync(FOLDER).filter((name) => FILE_NAME.test(name));
  return names.sort().map((name) => {
    const sql = readFileSync(new URL(name, FOLDER), "utf8");
    const checksum = createHash("sha256").update(sql).digest("hex");
    return { number: Number(name.slice(0, 4)), name, sql, checksum };
  });
}

/** The migration that added the column "server". */
const SERVER_KNOWN_SINCE = 2;

const ADOPT = statement(`
  update svc.installation set server = here.server
  from (select system_identifier::text as server from pg_control_system()) as here
  where installation.server is distinct from here.server
  returning (select server from svc.installation) as before`);

const BEGIN_ANEW = [
  statement("update svc.installation set epoch = gen_random_uuid(), deleted_pos = '0', deleted_id = 0"),
  statement("update svc.event set pos = '0'"),
  statement("update svc.job set changed = '0'"),
];

/**
 * Resets event positions after a restore to another server: they are meaningless there, and new events could sort
 * before them. Restored events become the oldest, and streams start with a snapshot again.
 */
async function settleOnServer(sender: Sender): Promise<void> {
  const [moved] = await sender.query<{ before: string | null }>(ADOPT, []);
  if (moved === undefined || moved.before === null) return;
  for (const step of BEGIN_ANEW) await sender.query(step, []);
}

const ROLES = ["svc_tenant", "svc_fleet"] as const;

/** No timeouts: another process may be migrating, and large tables take long. */
const NO_LIMITS = [statement("set local lock_timeout = 0"), statement("set local statement_timeout = 0")];
/** Waiting for a table lock blocks all later statements on the table, so the migration fails and can be retried. */
const TABLE_LOCK_LIMIT = statement(`set local lock_timeout = ${LOCK_LIMIT_MS}`);

/**
 * Applies the missing ones of `migrations`: all or nothing, one process at a time. Returns the
 * names of the applied ones. Throws SCHEMA_TOO_NEW, and SCHEMA_REFUSED if the schema differs from the program's, the
 * server is too old, or the user may not create it.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  await checkVersion(database);
  await ensureRoles(database);
  return database.transaction("owner", async (sender) => {
    for (const limit of NO_LIMITS) await sender.query(limit, []);
    await sender.query(statement("select pg_advisory_xact_lock($1)"), [LOCK]);
    await sender.query(TABLE_LOCK_LIMIT, []);
    const applied = await appliedMigrations(sender);
    checkKnown(applied, migrations);
    const missing = migrations.slice(applied.length);
    for (const migration of missing) await apply(sender, migration);
    if (migrations.length >= SERVER_KNOWN_SINCE) await settleOnServer(sender);
    return missing.map(({ name }) => name);
  });
}

/** The oldest version that the tests run on. */
const OLDEST_SERVER = 15;

async function checkVersion(database: Database): Promise<void> {
  const ask = statement("select current_setting('server_version_num')::int / 10000 as version");
  const [row] = await database.query<{ version: number }>("owner", ask, []);
  if (row !== undefined && row.version >= OLDEST_SERVER) return;
  throw new Failure(
    "SCHEMA_REFUSED",
    `The server is PostgreSQL ${row?.version ?? "unknown"}; svc needs ${OLDEST_SERVER} or newer.`,
  );
}

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

async function appliedMigrations(sender: Sender): Promise<readonly Applied[]> {
  const exists = "select to_regclass('svc.migration') is not null as known";
  const [found] = await sender.query<{ known: boolean }>(statement(exists), []);
  if (found?.known !== true) return [];
  return sender.query<Applied>(
    statement("select number, name, checksum from svc.migration order by number"),
    [],
  );
}

function checkKnown(applied: readonly Applied[], migrations: readonly Migration[]): void {
  for (const [place, { number, name, checksum }] of applied.entries()) {
    const known = migrations[place];
    if (known === undefined) {
      throw new Failure(
        "SCHEMA_TOO_NEW",
        `The database has migration ${name}, which this version of svc does not know (its last one is ${migrations.at(-1)?.name ?? "none"}). Run the version that applied it, or a newer one.`,
      );
    }
    if (known.number !== number || known.checksum !== checksum) {
      throw new Failure(
        "SCHEMA_REFUSED",
        `The database's migration ${name} differs from this version's ${known.name}. It was applied by another program or changed by hand.`,
      );
    }
  }
}

async function apply(sender: Sender, migration: Migration): Promise<void> {
  if (migration.number === 1) await prepareSchema(sender);
  // A query with several statements can have neither parameters nor a name.
  await sender.query({ name: "", text: migration.sql }, []);
  await sender.query(statement("insert into svc.migration (number, name, checksum) values ($1, $2, $3)"), [
    migration.number,
    migration.name,
    migration.checksum,
  ]);
}

const MIGRATION_TABLE = `
  create table svc.migration (
    number integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`;

async function prepareSchema(sender: Sender): Promise<void> {
  await sender.query(statement("create schema if not exists svc"), []);
  await sender.query(statement(MIGRATION_TABLE), []);
}

const MISSING_ROLES = statement(`
  select name from unnest($1::text[]) name
  where not exists (select from pg_roles where rolname = name and pg_has_role(current_user, oid, 'MEMBER'))`);

/** Creates missing roles. Roles belong to the whole server; the program's user may lack the privilege to create them. */
async function ensureRoles(database: Database): Promise<void> {
  const rows = await database.query<{ name: string }>("owner", MISSING_ROLES, [ROLES]);
  if (rows.length === 0) return;
  try {
    for (const { name } of rows) {
      const make = `do $$ begin create role ${name} nologin; exception when duplicate_object then null; end $$`;
      await database.query("owner", statement(make), []);
      await database.query("owner", statement(`grant ${name} to current_user`), []);
    }
  } catch (error) {
    const cause = error instanceof Failure ? error.cause : error;
    if (sqlState(cause) !== FORBIDDEN) throw error;
    throw new Failure("SCHEMA_REFUSED", ROLES_REFUSED, { cause });
  }
}

const ROLES_REFUSED = `The database user may not create the roles that svc needs. An administrator must run, with your user's name for USER:
  create role svc_tenant nologin;
  create role svc_fleet nologin;
  grant svc_tenant, svc_fleet to USER;`;
