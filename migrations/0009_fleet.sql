-- Whose nodes serve all tenants is a setting of the controllers; the column is of those that had it in their rows.

alter table node alter column fleet set default false;
