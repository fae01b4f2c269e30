-- The events of one run, in order.
CREATE INDEX event_run ON event(run, at_us, room, seq) WHERE run IS NOT NULL;
