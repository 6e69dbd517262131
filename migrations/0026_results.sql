-- The results storage: stills and clips that are objects in a bucket instead of bytes in this database.

create table result_object (
  id uuid primary key,
  tenant_id text collate "C" not null,
  -- Below the prefix of the results storage.
  key text collate "C" not null,
  bytes integer not null check (bytes > 0),
  -- SHA-256 of each MiB of it, one after the other.
  digests bytea not null,
  -- When a controller looks whether a row refers to it; null: one does.
  check_at timestamptz,
  -- Whether it is being deleted: no row can refer to it any more.
  doomed boolean not null default false
);
create index result_object_check on result_object (check_at) where check_at is not null;

-- `move_at`: when it can be moved next; a move that goes on holds it until then.
alter table still
  alter column image drop not null,
  add column object_id uuid references result_object (id),
  add column move_at timestamptz not null default now(),
  add constraint still_content check ((image is null) <> (object_id is null));
create index still_move on still (move_at) where object_id is null;
create index still_object on still (object_id) where object_id is not null;

-- A clip with an object has no pieces.
alter table clip
  add column object_id uuid references result_object (id),
  add column move_at timestamptz not null default now(),
  add constraint clip_content check (object_id is null or ready);
create index clip_move on clip (move_at) where object_id is null and ready;
create index clip_object on clip (object_id) where object_id is not null;

-- Whoever deletes a row may not change objects, and a reader may still need them for a moment.
create function release_objects() returns trigger language plpgsql security definer set search_path = svc, pg_temp as $$
begin
  update result_object set check_at = now() + interval '10 minutes'
  where id in (select object_id from gone where object_id is not null);
  return null;
end $$;
create trigger still_gone after delete on still
  referencing old table as gone for each statement execute function release_objects();
create trigger clip_gone after delete on clip
  referencing old table as gone for each statement execute function release_objects();

-- Where controllers with a results storage move stills and clips.
alter table installation add column results_in text not null default 'storage'
  check (results_in in ('storage', 'database'));

alter table result_object enable row level security;
create policy fleet on result_object to svc_fleet using (true) with check (true);
create policy tenant on result_object to svc_tenant using (tenant_id = current_setting('svc.tenant', true));
grant select, insert, update, delete on result_object to svc_fleet;
grant select on result_object to svc_tenant;
