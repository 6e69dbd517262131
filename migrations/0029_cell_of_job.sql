-- For the cell of a job: a title that is read adds cells to its comparison.
create index comparison_cell_job on comparison_cell (job_id);
