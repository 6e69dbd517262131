-- Callers delete stills as their tenant: the policies that bind what a tenant reads bind this too.

grant delete on still, work to svc_tenant;
