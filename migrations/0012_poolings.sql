-- How often the pooling of a job's scores was begun: one that ends its controller each time is not begun for ever.

alter table job add column poolings integer not null default 0;
