-- Uploads to the buckets of tenants. Those to the controller's directory have no rows.

create table upload (
  id uuid primary key,
  tenant_id text collate "C" not null,
  -- Of the file, as its caller named it.
  name text not null,
  size bigint not null check (size > 0),
  -- By which the caller finds the upload again.
  fingerprint text not null,
  bucket text collate "C" not null,
  key text collate "C" not null,
  -- The storage's id of the multipart upload.
  multipart_id text not null,
  part_size bigint not null check (part_size > 0),
  -- Bytes in parts, as far as a controller has seen them.
  stored bigint not null default 0,
  -- Whether the object is there.
  complete boolean not null default false,
  -- Of the object; null: its bucket has no versions.
  version_id text,
  -- Whether a job named it.
  named boolean not null default false,
  created_at timestamptz not null,
  -- When the caller last asked for URLs of parts, or completed it.
  changed_at timestamptz not null
);

create index upload_of on upload (tenant_id, created_at);

-- Digests of parts, which the storage needs again when an upload is completed.
create table upload_part (
  upload_id uuid not null references upload (id) on delete cascade,
  tenant_id text collate "C" not null,
  -- From 1.
  number integer not null,
  -- SHA-256 in Base64, as the caller gave it last.
  sha256 text collate "C" not null,
  primary key (upload_id, number)
);

alter table upload enable row level security;
alter table upload_part enable row level security;

create policy fleet on upload to svc_fleet using (true) with check (true);
create policy fleet on upload_part to svc_fleet using (true) with check (true);
create policy tenant on upload to svc_tenant
  using (tenant_id = current_setting('svc.tenant', true))
  with check (tenant_id = current_setting('svc.tenant', true));

create policy tenant on upload_part to svc_tenant
  using (tenant_id = current_setting('svc.tenant', true))
  with check (tenant_id = current_setting('svc.tenant', true));

grant select, insert, update, delete on upload, upload_part to svc_fleet, svc_tenant;
