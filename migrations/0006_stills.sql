-- Stills: frames of scored jobs as pictures, and the work that makes them after their job has succeeded.

alter table work drop constraint work_kind_check;
alter table work add constraint work_kind_check check (kind in ('PLAN', 'SEGMENT', 'WHOLE', 'STILLS'));
alter table work
  -- Of STILLS: the frames to show, by the segment that each was scored in (absent: in one piece):
  -- [{"segment": text, "frames": [number, …]}, …].
  add column stills jsonb check ((stills is not null) = (kind = 'STILLS')),
  -- Of STILLS that failed for good: why. The job's own error is that of a job that failed.
  add column error jsonb;

create table still (
  job_id uuid not null references job (id) on delete cascade,
  tenant_id text collate "C" not null,
  frame bigint not null,
  side text collate "C" not null check (side in ('REFERENCE', 'DISTORTED')),
  media_type text collate "C" not null,
  -- Pixels.
  width integer not null,
  height integer not null,
  -- Compressed already; to compress it again gains nothing.
  image bytea not null,
  primary key (job_id, frame, side)
);
alter table still alter column image set storage external;

alter table still enable row level security;
create policy fleet on still to svc_fleet using (true) with check (true);
create policy tenant on still to svc_tenant using (tenant_id = current_setting('svc.tenant', true));

grant select, insert, update, delete on still to svc_fleet;
grant select on still to svc_tenant;
