-- What seals the ids of events, so that they tell nobody how many there are: random, made here, the same for all controllers.

alter table installation add column event_key bytea not null
  default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');
