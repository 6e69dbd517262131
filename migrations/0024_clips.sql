-- Clips: videos of both sides around frames of scored jobs, made by STILLS tasks with a frame of the clip.

alter table work add column clip_frame bigint check (clip_frame is null or kind = 'STILLS');

create table clip (
  job_id uuid not null references job (id) on delete cascade,
  tenant_id text collate "C" not null,
  -- The frame that it was requested for, and those that it has.
  frame bigint not null,
  first_frame bigint not null,
  frame_count bigint not null,
  media_type text collate "C" not null,
  -- Pixels of a side.
  width integer not null,
  height integer not null,
  -- Of all pieces.
  bytes integer not null,
  -- The task and attempt that reports it: pieces of others do not count.
  made_by text collate "C" not null,
  -- Whether all pieces are stored.
  ready boolean not null,
  primary key (job_id, frame)
);

create table clip_piece (
  job_id uuid not null,
  tenant_id text collate "C" not null,
  frame bigint not null,
  -- From 0.
  number integer not null,
  made_by text collate "C" not null,
  piece bytea not null,
  primary key (job_id, frame, number),
  foreign key (job_id, frame) references clip (job_id, frame) on delete cascade
);
-- Compressed already; to compress it again gains nothing.
alter table clip_piece alter column piece set storage external;

alter table clip enable row level security;
create policy fleet on clip to svc_fleet using (true) with check (true);
create policy tenant on clip to svc_tenant using (tenant_id = current_setting('svc.tenant', true));
alter table clip_piece enable row level security;
create policy fleet on clip_piece to svc_fleet using (true) with check (true);
create policy tenant on clip_piece to svc_tenant using (tenant_id = current_setting('svc.tenant', true));

grant select, insert, update, delete on clip, clip_piece to svc_fleet;
grant select, delete on clip, clip_piece to svc_tenant;
