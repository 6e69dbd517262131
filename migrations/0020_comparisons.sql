-- Comparisons: named lists of jobs whose scores are compared. States and results are those of the jobs.

create table comparison (
  id uuid primary key,
  tenant_id text collate "C" not null,
  name text not null,
  -- The ladder that the others are compared with; empty: the first one.
  anchor text not null,
  -- Canonical proto JSON of a JobSpec without videos: what the jobs of all cells have in common.
  settings text not null,
  -- Hash of the request; distinguishes a repeated request from another one with the same idempotency key.
  fingerprint text collate "C" not null,
  idempotency_key text collate "C",
  submitted_by text not null,
  created_at timestamptz not null
);

create unique index comparison_idempotency on comparison (tenant_id, idempotency_key)
  where idempotency_key is not null;
create index comparison_newest on comparison (tenant_id, created_at desc, id desc);
-- For retention.
create index comparison_created on comparison (created_at);

create table comparison_cell (
  comparison_id uuid not null references comparison (id) on delete cascade,
  tenant_id text collate "C" not null,
  -- From 1.
  number integer not null,
  -- No reference: the job may be deleted first.
  job_id uuid not null,
  reference text not null,
  distorted text not null,
  -- As requested; empty: not.
  ladder text not null,
  clip text not null,
  primary key (comparison_id, number)
);

alter table comparison enable row level security;
alter table comparison_cell enable row level security;

create policy fleet on comparison to svc_fleet using (true) with check (true);
create policy fleet on comparison_cell to svc_fleet using (true) with check (true);

create policy tenant on comparison to svc_tenant
  using (tenant_id = current_setting('svc.tenant', true))
  with check (tenant_id = current_setting('svc.tenant', true));
create policy tenant on comparison_cell to svc_tenant
  using (tenant_id = current_setting('svc.tenant', true))
  with check (tenant_id = current_setting('svc.tenant', true));

grant select, insert, update, delete on comparison, comparison_cell to svc_fleet;
-- A comparison is updated by nobody, but locked while its cells change.
grant select, insert, update on comparison, comparison_cell to svc_tenant;
