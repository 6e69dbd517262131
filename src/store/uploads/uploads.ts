/** SQL of the uploads to buckets. */
import { isId } from "../../jobs/ids.ts";
import { bound } from "../connection/bound.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { NewUploadRow, PartDigest, UploadRow, UploadStore } from "../contract/upload-store.ts";

const COLUMNS = `id, name, size::float8 as size, fingerprint, bucket, key, multipart_id, part_size::float8 as part_size,
  stored::float8 as stored, complete, version_id, named, created_at, changed_at`;

interface Columns {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly fingerprint: string;
  readonly bucket: string;
  readonly key: string;
  readonly multipart_id: string;
  readonly part_size: number;
  readonly stored: number;
  readonly complete: boolean;
  readonly version_id: string | null;
  readonly named: boolean;
  readonly created_at: Date;
  readonly changed_at: Date;
}

/** Inserting the same row again changes nothing, because the first attempt may have been committed. */
const INSERT = statement(`
  insert into upload (tenant_id, id, name, size, fingerprint, bucket, key, multipart_id, part_size, created_at, changed_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now(), now())
  on conflict (id) do update set changed_at = upload.changed_at
  returning ${COLUMNS}`);

const FIND = statement(`select ${COLUMNS} from upload where tenant_id = $1 and id = $2`);

const LIST = statement(`select ${COLUMNS} from upload where tenant_id = $1 order by created_at, id`);

const PROGRESS = statement(`
  update upload set stored = $3, changed_at = case when $4 then now() else changed_at end
  where tenant_id = $1 and id = $2 and not complete
  returning ${COLUMNS}`);

/** Only for an existing upload, because it may be deleted at the same time. */
const SET_DIGESTS = statement(`
  insert into upload_part (upload_id, tenant_id, number, sha256)
  select upload.id, upload.tenant_id, part.number, part.sha256
  from upload cross join unnest($3::int[], $4::text[]) as part (number, sha256)
  where upload.tenant_id = $1 and upload.id = $2
  on conflict (upload_id, number) do update set sha256 = excluded.sha256`);

const DIGESTS = statement(
  "select number, sha256 from upload_part where tenant_id = $1 and upload_id = $2 order by number",
);

/** A repetition keeps the time of the first completion. */
const COMPLETE = statement(`
  update upload set stored = size, version_id = $3, complete = true,
    changed_at = case when complete then changed_at else now() end
  where tenant_id = $1 and id = $2
  returning ${COLUMNS}`);

const NAME = statement("update upload set named = true where tenant_id = $1 and id = any($2::uuid[])");

const REMOVE = statement("delete from upload where tenant_id = $1 and id = $2");

const TENANTS = statement("select distinct tenant_id from upload order by tenant_id");

export function uploadStore(database: Database): UploadStore {
  return bound(database, {
    insert,
    find,
    list,
    progress,
    setDigests,
    digests,
    complete,
    name,
    remove,
    tenants,
  });
}

async function insert(database: Database, tenant: string, upload: NewUploadRow): Promise<UploadRow> {
  const { id, name, size, fingerprint, bucket, key, multipartId, partSize } = upload;
  const values = [tenant, id, name, size, fingerprint, bucket, key, multipartId, partSize];
  const [row] = await database.query<Columns>({ tenant }, INSERT, values);
  if (row === undefined) throw new TypeError("an insertion returned no row");
  return rowOf(row);
}

async function find(database: Database, tenant: string, id: string): ReturnType<UploadStore["find"]> {
  if (!isId(id)) return undefined;
  return firstRow(await database.query<Columns>({ tenant }, FIND, [tenant, id]));
}

async function list(database: Database, tenant: string): ReturnType<UploadStore["list"]> {
  return (await database.query<Columns>({ tenant }, LIST, [tenant])).map(rowOf);
}

async function progress(
  database: Database,
  tenant: string,
  id: string,
  stored: number,
  active: boolean,
): ReturnType<UploadStore["progress"]> {
  return firstRow(await database.query<Columns>({ tenant }, PROGRESS, [tenant, id, stored, active]));
}

async function setDigests(
  database: Database,
  tenant: string,
  id: string,
  parts: readonly PartDigest[],
): Promise<void> {
  const distinct = [...new Map(parts.map((part) => [part.number, part])).values()];
  const columns = [distinct.map(({ number }) => number), distinct.map(({ sha256 }) => sha256)];
  await database.query({ tenant }, SET_DIGESTS, [tenant, id, ...columns]);
}

async function digests(database: Database, tenant: string, id: string): ReturnType<UploadStore["digests"]> {
  return database.query<PartDigest>({ tenant }, DIGESTS, [tenant, id]);
}

async function complete(
  database: Database,
  tenant: string,
  id: string,
  versionId: string | undefined,
): ReturnType<UploadStore["complete"]> {
  return firstRow(await database.query<Columns>({ tenant }, COMPLETE, [tenant, id, versionId ?? null]));
}

async function name(database: Database, tenant: string, ids: readonly string[]): Promise<void> {
  await database.query({ tenant }, NAME, [tenant, ids]);
}

async function remove(database: Database, tenant: string, id: string): Promise<void> {
  await database.query({ tenant }, REMOVE, [tenant, id]);
}

async function tenants(database: Database): ReturnType<UploadStore["tenants"]> {
  const rows = await database.query<{ readonly tenant_id: string }>("fleet", TENANTS, []);
  return rows.map(({ tenant_id: tenant }) => tenant);
}

function firstRow([row]: readonly Columns[]): UploadRow | undefined {
  return row && rowOf(row);
}

function rowOf(row: Columns): UploadRow {
  const { id, name, size, fingerprint, bucket, key, stored, complete, named } = row;
  return {
    ...{ id, name, size, fingerprint, bucket, key, stored, complete, named },
    multipartId: row.multipart_id,
    partSize: row.part_size,
    versionId: row.version_id ?? undefined,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}
