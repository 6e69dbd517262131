-- Tokens that are taken back before their time.

create table revocation (
  id uuid primary key,
  tenant_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('TOKEN_ID', 'SUBJECT', 'ISSUED_BEFORE')),
  -- The token's id or the subject; empty for ISSUED_BEFORE.
  value text collate "C" not null,
  issued_before timestamptz check ((issued_before is not null) = (kind = 'ISSUED_BEFORE')),
  reason text not null,
  revoked_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  -- Kept for a while, for the controllers to hear of it.
  lifted_at timestamptz,
  -- That of the installation's list after the row's last change.
  revision bigint not null
);

-- A thing is revoked once: of a tenant only the latest ISSUED_BEFORE counts.
create unique index revocation_of on revocation (tenant_id, kind, value) where lifted_at is null;
create index revocation_newest on revocation (tenant_id, created_at desc, id desc);
-- What controllers read: every change after the last one that they know.
create unique index revocation_changes on revocation (revision);
create index revocation_lifted on revocation (lifted_at) where lifted_at is not null;
create index revocation_expired on revocation (expires_at) where expires_at is not null;

-- Counts the changes of the list. Whoever makes one holds this row to the end of its transaction, so
-- changes become visible in the order of their numbers, and a reader that goes by them misses none.
create table revocation_revision (
  only_one boolean primary key default true check (only_one),
  latest bigint not null default 0,
  -- Rows of lifted revocations are deleted up to here: who knows less reads the list anew.
  forgotten bigint not null default 0
);
insert into revocation_revision default values;

alter table revocation enable row level security;
alter table revocation_revision enable row level security;

create policy fleet on revocation to svc_fleet using (true) with check (true);
create policy fleet on revocation_revision to svc_fleet using (true) with check (true);
create policy tenant on revocation to svc_tenant
  using (tenant_id = current_setting('svc.tenant', true))
  with check (tenant_id = current_setting('svc.tenant', true));
create policy tenant on revocation_revision to svc_tenant using (true) with check (true);

grant select, insert, update, delete on revocation, revocation_revision to svc_fleet;
grant select, insert, update on revocation to svc_tenant;
grant update (latest), select (latest) on revocation_revision to svc_tenant;
