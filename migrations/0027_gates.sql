-- Gates of jobs: the request has them, and a job that succeeded what became of them.

alter table job
  -- A list of src/jobs/gates/outcome.ts; null: no gates, or no result.
  add column gates jsonb,
  -- Whether at least one of them is not met.
  add column gates_missed boolean not null default false;

create index job_gates_missed on job (tenant_id, created_at desc, id desc) where gates_missed;
create index job_gates_missed_ended on job (tenant_id, ended_at desc, id desc) where gates_missed;
