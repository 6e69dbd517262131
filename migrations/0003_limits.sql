-- What a tenant has in the queue and in work is counted by these alone. Neither holds a column that
-- a heartbeat changes, so renewing a lease and telling of progress touch no index.

create index job_open on job (tenant_id, state) where state in ('QUEUED', 'RUNNING');
create index work_running on work (tenant_id) where state = 'LEASED';
