-- What a task found about how the videos relate: a JSON list of findings as in the API; null: nothing was found.

alter table work add column findings text;
