-- Per-frame scores that are objects in the results storage instead of bytes in this database.

-- A chunk in the storage is a range of an object, which has many of them.
alter table piece
  alter column rows drop not null,
  add column object_id uuid references result_object (id),
  add column first_byte integer check (first_byte >= 0),
  add column bytes integer check (bytes >= 0),
  add constraint piece_content check (
    (rows is null) <> (object_id is null)
    and (object_id is null) = (first_byte is null) and (object_id is null) = (bytes is null));
create index piece_object on piece (object_id) where object_id is not null;

-- When the scores of an ended job can be moved next; null: all of them are in the storage.
alter table job add column scores_move_at timestamptz default now();
create index job_scores on job (ended_at) where ended_at is not null and scores_move_at is not null;

-- When an object of scores can be moved back next.
alter table result_object add column move_at timestamptz not null default now();

-- Tasks are deleted one by one with their job, most of them without objects.
create function release_scores() returns trigger language plpgsql security definer set search_path = svc, pg_temp as $$
begin
  if exists (select from gone where object_id is not null) then
    update result_object set check_at = now() + interval '10 minutes'
    where id in (select object_id from gone where object_id is not null);
  end if;
  return null;
end $$;
create trigger piece_gone after delete on piece
  referencing old table as gone for each statement execute function release_scores();
