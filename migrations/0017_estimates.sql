-- Estimates of a job's score from a sample of its frames, and jobs that score the rest.

alter table job
  -- The estimate so far, and the final one: score, low, high and scoredShare; null if there is none.
  add column estimate jsonb,
  -- The estimated job whose scores it completes. No reference: that job may be deleted first.
  add column finishes uuid;
alter table event add column estimate jsonb;

create index job_finishes on job (finishes) where finishes is not null;

-- What samples of a pair are drawn from. A job has a row while its tasks are units of a sample, and after it succeeded.
create table sample (
  job_id uuid primary key references job (id) on delete cascade,
  tenant_id text collate "C" not null,
  -- Frames of the pair; frames_total of the job has those of the sample.
  frames bigint not null,
  -- All units in frame order, a line each, in the engine's format of segments.
  units text not null
);

alter table sample enable row level security;
create policy fleet on sample to svc_fleet using (true) with check (true);
create policy tenant on sample to svc_tenant using (tenant_id = current_setting('svc.tenant', true));
grant select, insert, update, delete on sample to svc_fleet;
grant select on sample to svc_tenant;

-- A job that completes another one gets copies of its scores, as its tenant: the policy on piece binds both.
grant insert on piece to svc_tenant;
