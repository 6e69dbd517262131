-- Scores are reused: a segment whose content was scored before takes those scores, and a job that asks the same of unchanged
-- files takes the result. Only within a tenant.

alter table work
  -- SHA-256 of what the scores of a segment depend on, besides the programs; null: not known, or its scores are gone.
  add column reuse_key bytea,
  -- SHA-256 of the programs and the processor that scored it; null: not known, or not scored.
  add column scored_by bytea,
  -- The job that scored it, if that was another one. No reference: that job may be deleted first.
  add column reused_from uuid;

create index work_reuse on work (tenant_id, reuse_key) where state = 'DONE' and reuse_key is not null;

alter table job
  -- SHA-256 of the request, and of what identifies both files; null: not known.
  add column reuse_key bytea,
  -- As work.scored_by, of the machine that planned.
  add column scored_by bytea,
  -- Segments with scores of other jobs; null: none.
  add column segments_reused integer,
  -- The job whose result this is, and when that ended. No reference: that job may be deleted first.
  add column answered_by uuid,
  add column answer_ended_at timestamptz;

create index job_reuse on job (tenant_id, reuse_key) where state = 'SUCCEEDED' and reuse_key is not null;

-- A job that is answered gets copies of the scores, units and stills of the one that was scored, as its tenant.
grant insert on sample, still to svc_tenant;
