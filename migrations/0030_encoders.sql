-- The encoder that the distorted file names, and what the ladders of a comparison are grouped by.

-- Null if the file names none, and for jobs planned before this column was there.
alter table job add column video_encoder text;

-- Separated by commas: codec, encoder, size; empty: codec.
alter table comparison add column group_by text collate "C" not null default '';
