-- How far the node that is furthest has fetched the objects of a job: null unless a node fetches them, and once a frame is
-- scored.

alter table job
  -- Bytes, of both videos together.
  add column bytes_fetched bigint,
  add column bytes_to_fetch bigint;
