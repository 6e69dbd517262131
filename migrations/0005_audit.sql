-- The part of the audit log that tenants can ask for. Rows are added and, when they are old, deleted; none is changed.

create table audit (
  tenant_id text collate "C" not null,
  -- When it ended, by the clock of the controller that it came to; whole milliseconds.
  at timestamptz not null,
  id uuid not null,
  request_id text collate "C" not null,
  transport text collate "C" not null,
  subject text collate "C" not null,
  operation text collate "C" not null,
  targets text[] collate "C" not null,
  outcome text collate "C" not null,
  peer text collate "C" not null,
  duration_ms bigint,
  -- How many decisions it stands for.
  count bigint not null,
  primary key (tenant_id, at, id)
);

create index audit_oldest on audit (at);

alter table audit enable row level security;
create policy fleet on audit to svc_fleet using (true) with check (true);
create policy tenant on audit to svc_tenant using (tenant_id = current_setting('svc.tenant', true));

grant select, insert, delete on audit to svc_fleet;
grant select on audit to svc_tenant;
