-- Lists by state and by end find few among many; the first counts what is in the queue, too.

create index job_state on job (tenant_id, state, created_at desc, id desc);
create index job_state_ended on job (tenant_id, state, ended_at desc, id desc) where ended_at is not null;
drop index job_open;
-- Of jobs of all tenants, for their retention alone: what says nothing of these states is not planned with it.
drop index job_ended;
create index job_ended on job (ended_at) where state in ('SUCCEEDED', 'FAILED', 'CANCELLED');

-- A stream that asks for labels is told of the change that takes them from a job. Null: the labels did not change.
alter table event add column labels_before jsonb;

-- Work, values and stills go with their job, whatever the tenant's own role may do to them.
grant delete on job to svc_tenant;

-- Of a request that changes many jobs: which, and how many it changed.
alter table audit add column filter text collate "C" not null default '', add column jobs bigint;
