-- Where a job belongs in a trace: its work is done later and elsewhere, and is told as part of it.

-- A traceparent of W3C Trace Context; null: it is part of no trace.
alter table job add column traceparent text collate "C";
