-- The scorer of a result, so that lists show whether scores come from different ones without reading results. Null without a
-- result, and for jobs that succeeded before these columns were there.

alter table job
  add column scorer_program text,
  add column scorer_version text,
  add column libvmaf_version text;
