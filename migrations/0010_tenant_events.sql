-- A stream that resumes reads what it missed as its tenant: the policy that binds what a tenant adds binds this too.

create index event_of_tenant on event (tenant_id, pos, id);
grant select on event to svc_tenant;

-- Whether a place can be resumed from; nothing else of the row is a tenant's.
create policy tenant on installation for select to svc_tenant using (true);
grant select (epoch, deleted_pos, deleted_id) on installation to svc_tenant;
