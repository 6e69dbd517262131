-- Which server the positions of events come from: they are ids of its transactions.

-- pg_control_system().system_identifier; null until the program has seen it.
alter table installation add column server text;
