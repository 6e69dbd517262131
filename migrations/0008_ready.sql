-- How long work waits: since when it can be claimed, anew each time that it is given back.

-- Of what is there already: since this column is.
alter table work add column ready_at timestamptz not null default now();
