-- What a task shows of the shots of the reference: JSON of the API's SegmentShots; null: nothing is known.

alter table work add column shots text;
