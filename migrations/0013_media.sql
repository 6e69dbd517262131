-- What lists show of a job's distorted file, without reading its plan or result: null until the job is planned, and of jobs
-- that were planned before these columns were there.

alter table job
  add column video_codec text,
  -- Pixels.
  add column video_width integer,
  add column video_height integer,
  -- Bits per second of the video track; null where the file states no frame rate.
  add column video_bit_rate double precision;
