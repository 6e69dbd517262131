-- Callers delete comparisons as their tenant: the policies that limit what a tenant reads apply. Cells are deleted with them.

grant delete on comparison to svc_tenant;
